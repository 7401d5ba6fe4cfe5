import FoundationEssentials

/// Datasets of IPTC, and the image resource of Photoshop that they are stored in.
///
/// Source: IPTC-NAA Information Interchange Model, version 4.2, 1.6; Adobe Photoshop File Formats
/// Specification, "Image Resources".
enum IPTCDatasets {
    /// The name of the resources in a JPEG segment.
    static let segmentName: StaticString = "Photoshop 3.0\0"

    /// More are an attack, and so are longer texts.
    private static let (maxCopyrightCount, maxTextBytes) = (64, 8192)

    /// The datasets in a list of image resources; nil if there are none.
    static func read(resources: Data) -> Data? {
        resources.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes, .big)
            var offset = 0
            while reader.has("8BIM", at: offset), let id = reader.u16(at: offset + 4),
                let nameLength = reader.u8(at: offset + 6)
            {
                // The name and its length take an even number of bytes.
                let size = offset + 6 + (nameLength + 2) / 2 * 2
                guard let count = reader.u32(at: size),
                    let body = reader.slice(at: size + 4, count: count)
                else { return nil }
                if id == 0x0404 { return body.isEmpty ? nil : Data(body) }
                offset = size + 4 + count + count % 2
            }
            return nil
        }
    }

    /// A list of image resources with the datasets.
    static func resources(_ datasets: Data) -> Data {
        var resources = Data("8BIM".utf8)
        resources.append(number: 0x0404, bytes: 2)
        // No name, padded.
        resources.append(number: 0, bytes: 2)
        resources.append(number: datasets.count, bytes: 4)
        resources.append(datasets)
        if datasets.count % 2 == 1 { resources.append(0) }
        return resources
    }

    /// The datasets without previews of the image; nil if none remain.
    static func withoutPreviews(_ datasets: Data) -> Data? {
        // The preview's format, version and data.
        filtered(datasets) { record, number, _ in record != 2 || !(200...202).contains(number) }
    }

    /// The by-line and the copyright notice, with the character set; nil if there are neither.
    static func copyright(_ datasets: Data) -> Data? {
        var texts = 0
        let kept = filtered(datasets) { record, number, length in
            guard length <= maxTextBytes else { return false }
            if record == 1, number == 90 { return length <= 32 && texts == 0 }
            guard record == 2, number == 80 || number == 116, texts < maxCopyrightCount else {
                return false
            }
            texts += 1
            return true
        }
        return texts == 0 ? nil : kept
    }

    /// The datasets for which `isKept` holds, up to the first damaged one; nil if there are none.
    private static func filtered(
        _ datasets: Data,
        _ isKept: (_ record: Int, _ number: Int, _ length: Int) -> Bool
    ) -> Data? {
        datasets.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes, .big)
            var kept = Data()
            var offset = 0
            while reader.u8(at: offset) == 0x1C, let record = reader.u8(at: offset + 1),
                let number = reader.u8(at: offset + 2),
                let (head, length) = length(reader, at: offset + 3),
                let whole = reader.slice(at: offset, count: 3 + head + length)
            {
                if isKept(record, number, length) { kept.append(contentsOf: whole) }
                offset += whole.count
            }
            return kept.isEmpty ? nil : kept
        }
    }

    /// The size of a dataset's length field, and the length.
    private static func length(_ reader: ByteReader, at offset: Int) -> (head: Int, length: Int)? {
        guard let short = reader.u16(at: offset) else { return nil }
        guard short >= 0x8000 else { return (2, short) }
        // The length of the length, of which four bytes are enough for any file.
        guard short == 0x8004, let long = reader.u32(at: offset + 2) else { return nil }
        return (6, long)
    }
}

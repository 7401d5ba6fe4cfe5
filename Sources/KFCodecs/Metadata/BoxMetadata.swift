import FoundationEssentials

/// The Exif and XMP of formats that consist of boxes: AVIF, HEIF and JPEG XL.
///
/// Source: ISO/IEC 14496-12, 8.11 and 8.12; ISO/IEC 23008-12, A.2.1 (Exif) and A.3 (XMP);
/// ISO/IEC 18181-2, 9.
struct BoxMetadata {
    /// Exif or XMP, in one or several pieces of the file.
    private struct Part {
        let isExif: Bool
        /// False if it describes another image than the one that is shown.
        var isOfImage = true
        var pieces: [Range<Int>] = []

        var byteCount: Int { pieces.reduce(0) { $0 + $1.count } }

        func isInside(fileOf count: Int) -> Bool { pieces.allSatisfy { $0.upperBound <= count } }
    }

    private var parts: [Part] = []
    /// Compressed parts of a JPEG XL, which are not read.
    private var compressed: [Range<Int>] = []

    /// The boxes that may contain parts, besides the file itself: a film, and each of its tracks.
    private static let maxDepth = 3

    /// Begins a box of XMP in files of any kind.
    private static let xmpNumber: [UInt8] = [
        0xBE, 0x7A, 0xCF, 0xCB, 0x97, 0xA9, 0x42, 0xE8, 0x9C, 0x71, 0x99, 0x94, 0x91, 0xE3, 0xAF,
        0xAC,
    ]

    /// Finds the parts of an AVIF or HEIF, or those of a JPEG XL.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:value:allowed:)`` for too many items, and
    ///   ``CodecError/corrupt(_:detail:)`` for items that overlap.
    init(_ bytes: UnsafeRawBufferPointer, as format: FileFormat) throws(CodecError) {
        try BoxItems.check(bytes, .default)
        let reader = ByteReader(bytes, .big)
        guard format == .jxl else {
            collect(reader, 0..<reader.count, depth: 0)
            let whole = parts.filter { $0.isInside(fileOf: bytes.count) }
            // Copying items that all are the same megabytes would take minutes.
            guard whole.reduce(0, { $0 + $1.byteCount }) <= bytes.count else {
                throw .corrupt(format, detail: "items of its metadata overlap")
            }
            return
        }
        for box in Self.boxes(reader, 0..<reader.count) {
            let isCompressed = reader.has("brob", at: box.type)
            let name = isCompressed ? box.body : box.type
            guard reader.has("Exif", at: name) || reader.has("xml ", at: name) else { continue }
            if isCompressed {
                compressed.append(box.type - 4..<box.end)
            } else {
                let isExif = reader.has("Exif", at: name)
                parts.append(Part(isExif: isExif, pieces: [box.body..<box.end]))
            }
        }
    }

    /// Finds the parts of an image, and those of a film and of its tracks.
    private mutating func collect(_ reader: ByteReader, _ range: Range<Int>, depth: Int) {
        guard depth < Self.maxDepth else { return }
        for box in Self.boxes(reader, range) {
            if reader.has("meta", at: box.type) {
                parts += Self.items(reader, box)
            } else if reader.has("uuid", at: box.type) {
                let content = box.body + Self.xmpNumber.count
                let number = reader.slice(at: box.body, count: Self.xmpNumber.count)
                if content < box.end, number?.elementsEqual(Self.xmpNumber) == true {
                    parts.append(Part(isExif: false, pieces: [content..<box.end]))
                }
            } else if reader.has("moov", at: box.type) || reader.has("trak", at: box.type) {
                collect(reader, box.body..<box.end, depth: depth + 1)
            }
        }
    }

    /// Reads the first Exif and the first XMP of the image.
    ///
    /// - Throws: ``CodecError/unsupported(_:feature:)`` for compressed parts of a JPEG XL.
    func read(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> FileMetadata {
        guard compressed.isEmpty else { throw .unsupported(.jxl, feature: "compressed metadata") }
        var found = FileMetadata()
        for part in parts where part.isOfImage {
            guard part.byteCount <= FileMetadata.maxByteCount else { continue }
            if part.isExif {
                found.exif = found.exif ?? Self.content(of: part, in: bytes)
            } else {
                found.xmp = found.xmp ?? Self.content(of: part, in: bytes)
            }
        }
        return found
    }

    /// The file without the position, in as many bytes; nil if it has none.
    ///
    /// Parts that cannot be changed, because they are compressed, are removed.
    func withoutPosition(_ file: Data) -> Data? {
        var (changed, isChanged) = (file, false)
        for part in parts {
            guard let content = changed.withUnsafeBytes({ Self.content(of: part, in: $0) }),
                var rest = part.isExif
                    ? MetadataRemoval.withoutPosition(exif: content)
                    : MetadataRemoval.withoutPosition(xmp: content)
            else { continue }
            isChanged = true
            // The content is the end of the part.
            for piece in part.pieces.reversed() {
                let count = min(piece.count, rest.count)
                let place = changed.startIndex + piece.upperBound - count
                changed.replaceSubrange(place..<place + count, with: rest.suffix(count))
                rest = rest.dropLast(count)
            }
        }
        for box in compressed.reversed() {
            changed.removeSubrange(
                changed.startIndex + box.lowerBound..<changed.startIndex + box.upperBound
            )
            isChanged = true
        }
        return isChanged ? changed : nil
    }

    /// The content of a part; nil if it is cut off or empty.
    private static func content(of part: Part, in bytes: UnsafeRawBufferPointer) -> Data? {
        guard part.isInside(fileOf: bytes.count) else { return nil }
        var content = Data()
        for piece in part.pieces { content.append(contentsOf: bytes[piece]) }
        guard part.isExif else { return content.isEmpty ? nil : content }
        // It begins with the distance to the TIFF structure.
        guard let distance = content.withUnsafeBytes({ ByteReader($0, .big).u32(at: 0) }),
            distance < content.count - 4
        else { return nil }
        return Data(content.dropFirst(4 + distance))
    }

    /// The boxes of a range, of which a hostile file has millions.
    static func boxes(_ reader: ByteReader, _ range: Range<Int>) -> [AVIFBoxes.Box] {
        var (boxes, offset) = ([AVIFBoxes.Box](), range.lowerBound)
        while boxes.count < FileMetadata.maxChunkCount,
            let box = AVIFBoxes.box(reader, at: offset, within: range.upperBound)
        {
            boxes.append(box)
            offset = box.end
        }
        return boxes
    }

    /// The parts among the items that a `meta` box lists.
    private static func items(_ reader: ByteReader, _ meta: AVIFBoxes.Box) -> [Part] {
        let children = boxes(reader, meta.body + 4..<max(meta.body + 4, meta.end))
        func child(_ name: StaticString) -> AVIFBoxes.Box? {
            children.first { reader.has(name, at: $0.type) }
        }
        guard let list = child("iinf"), let places = child("iloc"),
            let entries = ItemLocations(reader, places)?.entries
        else { return [] }
        let primary = child("pitm").flatMap { box in
            reader.u8(at: box.body) == 0
                ? reader.u16(at: box.body + 4) : reader.u32(at: box.body + 4)
        }
        let others = child("iref").flatMap { references in
            primary.map { items(reader, references, describingOthersThan: $0) }
        }
        let start = list.body + (reader.u8(at: list.body) == 0 ? 6 : 8)
        var numbers: [(item: Int, isExif: Bool)] = []
        for box in boxes(reader, start..<max(start, list.end)) {
            if let found = part(reader, box) { numbers.append(found) }
        }
        let entriesOfItems = Dictionary(entries.map { ($0.item, $0) }) { first, _ in first }
        let data = child("idat")
        return numbers.compactMap { number in
            guard let entry = entriesOfItems[number.item] else { return nil }
            // Others are made of other items.
            guard entry.method == 0 || entry.method == 1 && data != nil else { return nil }
            let base = entry.base + (entry.method == 1 ? data?.body ?? 0 : 0)
            return Part(
                isExif: number.isExif,
                isOfImage: others?.contains(number.item) != true,
                pieces: entry.pieces.map { base + $0.place..<base + $0.place + $0.length }
            )
        }
    }

    /// The number of an item if it is Exif or XMP.
    private static func part(
        _ reader: ByteReader,
        _ box: AVIFBoxes.Box
    ) -> (item: Int, isExif: Bool)? {
        let version = reader.u8(at: box.body)
        guard version == 2 || version == 3 else { return nil }
        let type = box.body + (version == 2 ? 8 : 10)
        let item = version == 2 ? reader.u16(at: box.body + 4) : reader.u32(at: box.body + 4)
        guard let item, type + 4 <= box.end else { return nil }
        if reader.has("Exif", at: type) { return (item, true) }
        // A name that ends with a zero stands before the type of the content.
        guard reader.has("mime", at: type),
            let rest = reader.slice(at: type + 4, count: box.end - type - 4),
            let end = rest.firstIndex(of: 0),
            reader.has("application/rdf+xml", at: type + 5 + end)
        else { return nil }
        return (item, false)
    }

    /// The items that describe other images only, as previews and maps of light have.
    private static func items(
        _ reader: ByteReader,
        _ references: AVIFBoxes.Box,
        describingOthersThan primary: Int
    ) -> Set<Int> {
        let width = reader.u8(at: references.body) == 0 ? 2 : 4
        func number(_ offset: Int) -> Int? {
            width == 2 ? reader.u16(at: offset) : reader.u32(at: offset)
        }
        let start = references.body + 4
        var items: Set<Int> = []
        for box in boxes(reader, start..<max(start, references.end))
        where reader.has("cdsc", at: box.type) {
            guard let item = number(box.body), let count = reader.u16(at: box.body + width) else {
                continue
            }
            let first = box.body + width + 2
            // The count may be wrong, but reading ends with the box.
            let end = min(box.end, first + count * width)
            let described = stride(from: first, to: end, by: width).map(number)
            if !described.contains(primary) { items.insert(item) }
        }
        return items
    }
}

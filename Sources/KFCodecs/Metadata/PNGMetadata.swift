import CKFDeflate
import FoundationEssentials

/// The metadata in the chunks of a PNG.
///
/// Source: W3C, Portable Network Graphics (Third Edition), 11.3; Adobe, XMP Specification Part 3,
/// 1.1.5, which stores packets uncompressed.
enum PNGMetadata {
    /// The name of the packet, the absence of compression, and no language.
    private static let xmpName: StaticString = "XML:com.adobe.xmp\0\0\0\0\0"
    /// The name alone: other writers compress packets, which are then not read.
    private static let anyXMPName: StaticString = "XML:com.adobe.xmp\0"

    /// Reads the parts of a file.
    static func read(_ bytes: UnsafeRawBufferPointer) -> FileMetadata {
        var parts = FileMetadata()
        walk(bytes) { type, _, body in
            guard body.count <= FileMetadata.maxByteCount else { return }
            if type == "eXIf", parts.exif == nil, !body.bytes.isEmpty {
                parts.exif = Data(body.bytes)
            } else if type == "iTXt", parts.xmp == nil {
                parts.xmp = packet(body)
            }
        }
        return parts
    }

    /// The file with parts.
    ///
    /// - Throws: ``CodecError`` if the file has no header, or the profile cannot be compressed.
    static func written(
        _ parts: FileMetadata,
        to bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> Data {
        // After the signature and the header, which have fixed lengths.
        let place = 8 + 25
        guard bytes.count > place, ByteReader(bytes, .big).has("IHDR", at: 12) else {
            throw .truncated(.png)
        }
        var replaced: [Range<Int>] = []
        walk(bytes) { type, chunk, body in
            guard chunk.lowerBound >= place else { return }
            let isReplaced =
                switch type {
                case "eXIf": parts.exif != nil
                case "iTXt": parts.xmp != nil && body.has(anyXMPName, at: 0)
                // Beside a profile these state other colours.
                case "iCCP", "sRGB", "gAMA", "cHRM", "cICP": parts.profile != nil
                default: false
                }
            if isReplaced { replaced.append(chunk) }
        }
        var added = Data()
        if let profile = parts.profile {
            // A chunk without a profile, of the perceptual intent, is enough for sRGB.
            let isUsual = profile == Data(SRGBProfile.bytes)
            added.append(isUsual ? chunk("sRGB", Data([0])) : try chunk(ofProfile: profile))
        }
        if let exif = parts.exif { added.append(chunk("eXIf", exif)) }
        if let xmp = parts.xmp {
            let name = UnsafeRawBufferPointer(
                start: xmpName.utf8Start,
                count: xmpName.utf8CodeUnitCount
            )
            added.append(chunk("iTXt", Data(name) + xmp))
        }
        return Data(bytes, inserting: added, at: place, without: replaced)
    }

    /// The file without the position; nil if it has none.
    ///
    /// Texts that cannot be changed, because they are compressed, are removed.
    static func withoutPosition(_ file: Data) -> Data? {
        var result = Data()
        var found = false
        file.withUnsafeBytes { bytes in
            var start = 0
            walk(bytes) { type, whole, body in
                var replacement: Data?
                if type == "eXIf" {
                    replacement = MetadataRemoval.withoutPosition(exif: Data(body.bytes))
                        .map { chunk(type, $0) }
                } else if type == "iTXt", body.has(anyXMPName, at: 0) {
                    if let packet = packet(body) {
                        let head = body.bytes.prefix(body.count - packet.count)
                        replacement = MetadataRemoval.withoutPosition(xmp: packet)
                            .map { chunk(type, Data(head) + $0) }
                    } else {
                        replacement = Data()
                    }
                } else if ["tEXt", "zTXt"].contains(type), body.has("Raw profile type ", at: 0) {
                    // Exif, XMP and IPTC in hexadecimal digits.
                    replacement = body.has("Raw profile type icc", at: 0) ? nil : Data()
                }
                guard let replacement else { return }
                found = true
                result.append(contentsOf: bytes[start..<whole.lowerBound])
                result.append(replacement)
                start = whole.upperBound
            }
            result.append(contentsOf: bytes[start...])
        }
        return found ? result : nil
    }

    /// The chunks besides the critical ones that change how the image looks or plays.
    private static let visible: Set = [
        "tRNS", "iCCP", "sRGB", "gAMA", "cHRM", "cICP", "sBIT", "bKGD", "hIST", "pHYs", "mDCV",
        "cLLI",
        "acTL", "fcTL", "fdAT",
    ]

    /// The file without metadata, texts, unknown chunks and whatever follows its end.
    ///
    /// - Throws: ``CodecError/limitExceeded(_:value:allowed:)`` for too many chunks.
    static func bare(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> Data {
        var file = Data(bytes.prefix(PNGHeader.firstChunk))
        var isEnded = false
        var count = 0
        let end = walk(bytes) { type, chunk, _ in
            count += 1
            let isCritical = type.utf8.first.map { $0 & 0x20 == 0 } ?? false
            guard !isEnded, isCritical || visible.contains(type) else { return }
            file.append(contentsOf: bytes[chunk])
            isEnded = type == "IEND"
        }
        guard count < FileMetadata.maxChunkCount else {
            throw .limitExceeded(.chunks, value: count, allowed: FileMetadata.maxChunkCount)
        }
        guard !isEnded else { return file }
        // The last chunk is cut off; it may have some of the pixels.
        let reader = ByteReader(bytes, .big)
        if reader.has("IDAT", at: end + 4) || reader.has("fdAT", at: end + 4) {
            file.append(contentsOf: bytes[end...])
        }
        return file
    }

    /// Calls `visit` with every chunk.
    ///
    /// - Returns: The offset behind the last whole one.
    @discardableResult
    static func walk(
        _ bytes: UnsafeRawBufferPointer,
        _ visit: (_ type: String, _ chunk: Range<Int>, _ body: ByteReader) -> Void
    ) -> Int {
        let reader = ByteReader(bytes, .big)
        var offset = PNGHeader.firstChunk
        for _ in 0..<FileMetadata.maxChunkCount {
            guard let length = reader.u32(at: offset),
                let type = reader.slice(at: offset + 4, count: 4),
                let body = reader.slice(at: offset + 8, count: length)
            else { return offset }
            let end = offset + length + PNGHeader.chunkOverhead
            guard end <= bytes.count else { return offset }
            visit(String(decoding: type, as: UTF8.self), offset..<end, ByteReader(body, .big))
            offset = end
        }
        return offset
    }

    /// The packet in a text chunk; nil for other texts, and for a compressed packet.
    private static func packet(_ body: ByteReader) -> Data? {
        let start = anyXMPName.utf8CodeUnitCount
        // Uncompressed, then the ends of the language and of the translated name.
        guard body.has(anyXMPName, at: 0), body.u8(at: start) == 0, body.u8(at: start + 1) == 0,
            let language = body.bytes[(start + 2)...].firstIndex(of: 0),
            let name = body.bytes[(language + 1)...].firstIndex(of: 0),
            name + 1 < body.count
        else { return nil }
        return Data(body.bytes[(name + 1)...])
    }

    private static func chunk(ofProfile profile: Data) throws(CodecError) -> Data {
        let (bound, compression) = (
            PNGCompression.plain.bound(profile.count), PNGCompression.plain
        )
        var room = [UInt8](repeating: 0, count: bound)
        let count = profile.withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: UInt8.self).baseAddress.map {
                compression.compress($0, profile.count, to: &room, room: bound)
            } ?? 0
        }
        guard count > 0 else {
            throw .encodingFailed(.png, detail: "the profile cannot be compressed")
        }
        // A name, its end, and the only method of compression.
        return chunk("iCCP", Data("ICC\0\0".utf8) + room[..<count])
    }

    static func chunk(_ type: String, _ content: Data) -> Data {
        let body = Data(type.utf8) + content
        var chunk = Data()
        chunk.append(number: content.count, bytes: 4)
        chunk.append(body)
        let sum = body.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
        chunk.append(number: Int(sum), bytes: 4)
        return chunk
    }
}

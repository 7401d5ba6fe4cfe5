import FoundationEssentials
import KFPixels

/// The metadata in the chunks of a WebP.
///
/// Source: RFC 9649, section 2.7.
enum WebPMetadata {
    /// The bits of the extended header.
    private enum Flag {
        static let xmp: UInt8 = 0x04
        static let exif: UInt8 = 0x08
        static let alpha: UInt8 = 0x10
        static let profile: UInt8 = 0x20
    }

    /// Reads the parts of a file.
    static func read(_ bytes: UnsafeRawBufferPointer) -> FileMetadata {
        var parts = FileMetadata()
        walk(bytes) { name, _, body in
            guard body.count <= FileMetadata.maxByteCount, !body.isEmpty else { return }
            if name == "EXIF", parts.exif == nil { parts.exif = Data(body) }
            if name == "XMP ", parts.xmp == nil { parts.xmp = Data(body) }
        }
        return parts
    }

    /// The file with parts, extended if it is a simple one.
    ///
    /// - Throws: ``CodecError`` if the file has no header, is cut off, or becomes larger than the
    ///   format allows.
    static func written(
        _ parts: FileMetadata,
        to bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> Data {
        let header = try WebPHeader(parsing: bytes, limits: .default)
        var flags: UInt8 = header.hasAlpha ? Flag.alpha : 0
        var head = Data(repeating: 0, count: 4)
        head.append(number: header.size.width - 1, bytes: 3, .little)
        head.append(number: header.size.height - 1, bytes: 3, .little)
        var others = Data()
        let isWhole = walk(bytes) { name, whole, body in
            switch name {
            case "VP8X" where body.count >= 10:
                flags |= body[body.startIndex]
                head = Data(body)
            case "ICCP" where parts.profile != nil, "EXIF" where parts.exif != nil,
                "XMP " where parts.xmp != nil:
                break
            default: others.append(contentsOf: whole)
            }
        }
        // The remaining chunks would be lost.
        guard isWhole else {
            throw .corrupt(.webp, detail: "a chunk is cut off, or there are too many")
        }
        if others.count % 2 == 1 { others.append(0) }
        if parts.profile != nil { flags |= Flag.profile }
        if parts.exif != nil { flags |= Flag.exif }
        if parts.xmp != nil { flags |= Flag.xmp }
        head[head.startIndex] = flags
        // The profile comes before the pixels; Exif and XMP come last.
        var body = Data("WEBP".utf8)
        body.append(chunk: "VP8X", head)
        if let profile = parts.profile { body.append(chunk: "ICCP", profile) }
        body.append(others)
        if let exif = parts.exif { body.append(chunk: "EXIF", exif) }
        if let xmp = parts.xmp { body.append(chunk: "XMP ", xmp) }
        guard body.count < UInt32.max else {
            throw .encodingFailed(.webp, detail: "the file is larger than the format allows")
        }
        var file = Data("RIFF".utf8)
        file.append(number: body.count, bytes: 4, .little)
        file.append(body)
        return file
    }

    /// The file without the position; nil if it has none.
    static func withoutPosition(_ file: Data) -> Data? {
        var result: [UInt8] = []
        var found = false
        file.withUnsafeBytes { bytes in
            result = Array(bytes)
            walk(bytes) { name, _, body in
                let rest =
                    switch name {
                    case "EXIF": MetadataRemoval.withoutPosition(exif: Data(body))
                    case "XMP ": MetadataRemoval.withoutPosition(xmp: Data(body))
                    default: Data?.none
                    }
                guard let rest, let first = body.baseAddress, let start = bytes.baseAddress else {
                    return
                }
                // A name in front of the block is not part of the result.
                let place = first - start + body.count - rest.count
                result.replaceSubrange(place..<place + rest.count, with: rest)
                found = true
            }
        }
        return found ? Data(result) : nil
    }

    /// The file without metadata and unknown chunks.
    ///
    /// - Throws: ``CodecError`` as ``written(_:to:)``.
    static func bare(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> Data {
        var body = Data("WEBP".utf8)
        var isWhole = true
        let isRead = walk(bytes) { name, whole, content in
            switch name {
            case "VP8X":
                var head = Data(content)
                if !head.isEmpty { head[0] &= ~(Flag.exif | Flag.xmp) }
                body.append(chunk: name, head)
            case "ANMF":
                // The place and the duration of the frame, then chunks of its own.
                var frame = Data(content.prefix(Self.frameHead))
                isWhole =
                    walk(content, from: Self.frameHead) { name, whole, _ in
                        if ["VP8 ", "VP8L", "ALPH"].contains(name) {
                            frame.append(contentsOf: whole)
                        }
                    } && isWhole
                body.append(chunk: name, frame)
            case "VP8 ", "VP8L", "ALPH", "ANIM", "ICCP":
                body.append(contentsOf: whole)
                if body.count % 2 == 1 { body.append(0) }
            default: break
            }
        }
        guard isRead, isWhole else {
            throw .corrupt(.webp, detail: "a chunk is cut off, or there are too many")
        }
        var file = Data("RIFF".utf8)
        file.append(number: body.count, bytes: 4, .little)
        file.append(body)
        return file
    }

    /// The bytes of a frame before its chunks.
    private static let frameHead = 16

    /// Calls `visit` with every chunk: its name, the whole with its padding, and its content.
    ///
    /// - Returns: False if the last one is cut off, or if there are too many.
    @discardableResult
    private static func walk(
        _ bytes: UnsafeRawBufferPointer,
        _ visit: (
            _ name: String, _ whole: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer
        ) -> Void
    ) -> Bool {
        let size = ByteReader(bytes, .little).u32(at: 4) ?? 0
        // Bytes after the end of the container do not belong to the image.
        return walk(.init(rebasing: bytes.prefix(size + 8)), from: 12, visit)
    }

    private static func walk(
        _ bytes: UnsafeRawBufferPointer,
        from start: Int,
        _ visit: (
            _ name: String, _ whole: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer
        ) -> Void
    ) -> Bool {
        let reader = ByteReader(bytes, .little)
        var offset = start
        for _ in 0..<FileMetadata.maxChunkCount {
            guard offset < reader.count else { return true }
            guard let name = reader.slice(at: offset, count: 4),
                let length = reader.u32(at: offset + 4),
                let body = reader.slice(at: offset + 8, count: length),
                // The padding of the last chunk may be missing.
                let whole = reader.slice(at: offset, count: 8 + length + length % 2)
                    ?? reader.slice(at: offset, count: 8 + length)
            else { return false }
            visit(String(decoding: name, as: UTF8.self), whole, body)
            offset += 8 + length + length % 2
        }
        return offset >= reader.count
    }
}

extension Data {
    fileprivate mutating func append(chunk name: String, _ content: Data) {
        append(contentsOf: name.utf8)
        append(number: content.count, bytes: 4, .little)
        append(content)
        if content.count % 2 == 1 { append(0) }
    }
}

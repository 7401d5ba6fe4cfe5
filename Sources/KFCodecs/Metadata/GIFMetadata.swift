import FoundationEssentials

/// The metadata in the extensions of a GIF.
///
/// Source: CompuServe, Graphics Interchange Format, Version 89a; Adobe, XMP Specification Part 3,
/// 1.1.2.
enum GIFMetadata {
    /// The head of the extension that holds an XMP packet.
    private static let xmpHead = Data([0x21, 0xFF, 11] + Array("XMP DataXMP".utf8))
    /// Behind the packet, which has no blocks of its own: from every byte that a reader may take for
    /// the length of a block, the blocks end with the extension.
    private static let xmpEnd = [1] + (UInt8.min...UInt8.max).reversed() + [0]
    private static let trailer = UInt8(ascii: ";")

    /// Reads the parts of a file.
    static func read(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> FileMetadata {
        let header = try GIFHeader(parsing: bytes, limits: .default)
        let places = header.descriptions.lazy.compactMap { packet(in: $0, of: bytes) }
        let place = places.first { $0.count <= FileMetadata.maxByteCount }
        return FileMetadata(xmp: place.map { Data(bytes[$0]) })
    }

    /// The file with parts: XMP, as the others have no place.
    static func written(
        _ parts: FileMetadata,
        to bytes: UnsafeRawBufferPointer
    ) throws(CodecError) -> Data {
        guard let xmp = parts.xmp else { return Data(bytes) }
        let header = try GIFHeader(parsing: bytes, limits: .default)
        let former = header.descriptions.filter { packet(in: $0, of: bytes) != nil }
        var file = copy(bytes[..<header.end], without: former)
        file.append(xmpHead + xmp + xmpEnd)
        file.append(contentsOf: bytes[header.end...])
        return file
    }

    /// The file without the position, in as many bytes; nil if it has none.
    static func withoutPosition(_ file: Data) throws(CodecError) -> Data? {
        let places = try file.withBytes { bytes throws(CodecError) in
            try GIFHeader(parsing: bytes, limits: .default).descriptions
                .compactMap { packet(in: $0, of: bytes) }
        }
        var changed = [UInt8](file)
        for place in places {
            guard let rest = MetadataRemoval.withoutPosition(xmp: Data(changed[place])) else {
                continue
            }
            changed.replaceSubrange(place, with: rest)
        }
        return changed.elementsEqual(file) ? nil : Data(changed)
    }

    /// The file without comments, texts and whatever follows its end.
    static func bare(_ bytes: UnsafeRawBufferPointer) throws(CodecError) -> Data {
        let header = try GIFHeader(parsing: bytes, limits: .default)
        let rest = bytes[header.end...]
        // The rest of a file that is cut off is kept if it belongs to a frame.
        guard rest.first == 0x2C else {
            var file = copy(bytes[..<header.end], without: header.descriptions)
            if !rest.isEmpty { file.append(trailer) }
            return file
        }
        return copy(bytes[...], without: header.descriptions)
    }

    /// The extensions that ``bare(_:)`` removes.
    static func descriptions(of bytes: UnsafeRawBufferPointer) throws(CodecError) -> Data {
        try GIFHeader(parsing: bytes, limits: .default).descriptions
            .reduce(into: Data()) { $0.append(contentsOf: bytes[$1]) }
    }

    private static func copy(
        _ bytes: Slice<UnsafeRawBufferPointer>,
        without removed: [Range<Int>]
    ) -> Data {
        Data(UnsafeRawBufferPointer(rebasing: bytes), inserting: Data(), at: 0, without: removed)
    }

    /// The place of the packet that an extension holds; nil if it holds something else.
    private static func packet(
        in place: Range<Int>,
        of bytes: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        let block = bytes[place]
        guard block.count > xmpHead.count + xmpEnd.count,
            block.starts(with: xmpHead), block.suffix(xmpEnd.count).elementsEqual(xmpEnd)
        else { return nil }
        return place.lowerBound + xmpHead.count..<place.upperBound - xmpEnd.count
    }
}

/// The top-level boxes of an AVIF file, walked to distinguish a truncated file from a damaged one.
///
/// Source: ISO/IEC 14496-12, section 4.2.
struct AVIFBoxes {
    /// Whether a box reaches beyond the data, or no `mdat` box was found.
    private(set) var isCutOff = true
    /// Whether the box that libavif needs for parsing (`meta`, or `moov` in a sequence) is
    /// incomplete.
    private(set) var lacksStructure = true
    /// The offset of a box with a length of 0, which ends with the file.
    private(set) var openBox: Int?

    /// A box whose end lies inside its parent.
    struct Box {
        /// The offset of the four characters.
        let type: Int
        /// The offset behind the header.
        let body: Int
        let end: Int
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        let reader = ByteReader(bytes, .big)
        var isSequence = false
        var offset = 0
        while offset < reader.count {
            let length = Self.length(reader, at: offset)
            if reader.has("ftyp", at: offset + 4), Self.isSequence(reader, offset, length ?? 0) {
                isSequence = true
            }
            guard let length, length >= 8, length <= reader.count - offset else {
                isCutOff = true
                return
            }
            if reader.u32(at: offset) == 0 { openBox = offset }
            if reader.has("mdat", at: offset + 4) { isCutOff = false }
            if reader.has(isSequence ? "moov" : "meta", at: offset + 4) {
                lacksStructure = false
            }
            offset += length
        }
    }

    /// The length of a box including its header.
    ///
    /// A stored length of 0 means the rest of the file.
    private static func length(_ reader: ByteReader, at offset: Int) -> Int? {
        guard let length = reader.u32(at: offset), reader.u32(at: offset + 4) != nil else {
            return nil
        }
        if length == 0 { return reader.count - offset }
        guard length == 1 else { return length }
        // A 64-bit length follows the type. No image has a box beyond 32 bits.
        guard reader.u32(at: offset + 8) == 0 else { return Int(Int32.max) }
        return reader.u32(at: offset + 12)
    }

    /// The box at an offset; nil unless it lies inside.
    static func box(_ reader: ByteReader, at offset: Int, within end: Int) -> Box? {
        guard end - offset >= 8, end <= reader.count, let stored = reader.u32(at: offset),
            let length = length(reader, at: offset)
        else { return nil }
        let header = stored == 1 ? 16 : 8
        // The last box of a prefix may be cut off.
        let available = min(stored == 0 ? end - offset : length, end - offset)
        guard available >= header else { return nil }
        return Box(type: offset + 4, body: offset + header, end: offset + available)
    }

    private static func isSequence(_ reader: ByteReader, _ offset: Int, _ length: Int) -> Bool {
        // Brands beyond the first 256 bytes (about sixty) are not checked.
        stride(from: offset + 8, to: offset + min(length, 256), by: 4)
            .contains { reader.has("avis", at: $0) }
    }
}

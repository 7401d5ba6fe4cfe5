/// The top level of an AVIF, walked to tell a short file from a damaged one.
///
/// Source: ISO/IEC 14496-12, section 4.2.
struct AVIFBoxes {
    /// Whether a box reaches beyond the data, or none with pixels has come.
    private(set) var isCutOff = true
    /// Whether a box that parsing needs is not wholly there.
    private(set) var lacksStructure = true

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
            if reader.has("mdat", at: offset + 4) { isCutOff = false }
            if reader.has(isSequence ? "moov" : "meta", at: offset + 4) {
                lacksStructure = false
            }
            offset += length
        }
    }

    /// The length of a box with its header; the rest of the file for 0, which means that.
    private static func length(_ reader: ByteReader, at offset: Int) -> Int? {
        guard let length = reader.u32(at: offset), reader.u32(at: offset + 4) != nil else {
            return nil
        }
        if length == 0 { return reader.count - offset }
        guard length == 1 else { return length }
        // A length of 64 bits follows the type; beyond 32 it is no picture.
        guard reader.u32(at: offset + 8) == 0 else { return Int(Int32.max) }
        return reader.u32(at: offset + 12)
    }

    private static func isSequence(_ reader: ByteReader, _ offset: Int, _ length: Int) -> Bool {
        // 256: brands beyond the first sixty are not looked at.
        stride(from: offset + 8, to: offset + min(length, 256), by: 4)
            .contains { reader.has("avis", at: $0) }
    }
}

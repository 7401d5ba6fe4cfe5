import KFPixels

/// Finds the orientation in an Exif block.
///
/// Source: CIPA DC-008 (Exif 2.32), 4.6.2 and tag 0x0112; TIFF 6.0, section 2.
enum EXIFOrientation {
    /// Reads IFD 0 of a TIFF structure.
    ///
    /// Returns ``Orientation/up`` if it is invalid or has no orientation.
    ///
    /// The bytes begin with the byte order mark; a leading `Exif\0\0` is skipped.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> Orientation {
        var block = bytes
        if ByteReader(bytes, .big).has("Exif\0\0", at: 0) {
            block = UnsafeRawBufferPointer(rebasing: bytes[6...])
        }
        var reader = ByteReader(block, .big)
        if reader.has("II", at: 0) {
            reader.endianness = .little
        } else if !reader.has("MM", at: 0) {
            return .up
        }
        guard reader.u16(at: 2) == 42, let directory = reader.u32(at: 4),
            let count = reader.u16(at: directory)
        else { return .up }
        for entry in 0..<min(count, ContainerLimits.exifEntries) {
            let offset = directory + 2 + entry * 12
            guard let tag = reader.u16(at: offset) else { return .up }
            if tag == 0x0112 { return value(reader, at: offset) }
        }
        return .up
    }

    // Some writers store the number as LONG or BYTE instead of SHORT.
    private static func value(_ reader: ByteReader, at entry: Int) -> Orientation {
        let number: Int? =
            switch reader.u16(at: entry + 2) {
            case 1: reader.u8(at: entry + 8)
            case 3: reader.u16(at: entry + 8)
            case 4: reader.u32(at: entry + 8)
            default: nil
            }
        return number.flatMap(UInt8.init(exactly:)).flatMap(Orientation.init(rawValue:)) ?? .up
    }
}

extension FileFormat {
    /// The format of a file.
    ///
    /// - Throws: ``CodecError/empty``, ``CodecError/unknownFormat``.
    init(of bytes: UnsafeRawBufferPointer) throws(CodecError) {
        guard !bytes.isEmpty else { throw .empty }
        guard let format = Self.detect(bytes) else { throw .unknownFormat }
        self = format
    }

    /// The format whose signature the bytes begin with.
    ///
    /// Sources: each format's specification; for files that begin with a `ftyp` box, the brands of
    /// ISO/IEC 23008-12 and of the AVIF specification.
    static func detect(_ bytes: UnsafeRawBufferPointer) -> FileFormat? {
        let reader = ByteReader(bytes, .big)
        switch reader.u32(at: 0) {
        case 0x8950_4E47:
            return reader.u32(at: 4) == 0x0D0A_1A0A ? .png : nil
        case 0x4749_4638:
            return reader.has("7a", at: 4) || reader.has("9a", at: 4) ? .gif : nil
        case 0x5249_4646:
            return reader.has("WEBP", at: 8) ? .webp : nil
        // The second number is that of BigTIFF, whose offsets have 64 bits.
        case 0x4949_2A00, 0x4D4D_002A, 0x4949_2B00, 0x4D4D_002B:
            return .tiff
        // Icons and cursors.
        case 0x0000_0100, 0x0000_0200:
            return isIcon(reader) ? .ico : nil
        case 0x0000_000C:
            return reader.has("JXL ", at: 4) ? .jxl : nil
        default:
            break
        }
        if reader.u16(at: 0) == 0xFFD8, reader.u8(at: 2) == 0xFF { return .jpeg }
        if reader.u16(at: 0) == 0xFF0A { return .jxl }
        if reader.has("BM", at: 0), isBitmapHeader(reader) { return .bmp }
        if reader.has("ftyp", at: 4) { return brand(reader) }
        return isVector(reader) ? .svg : nil
    }

    // Two letters are weak evidence, so the size of the second header must be a valid one too.
    private static func isBitmapHeader(_ reader: ByteReader) -> Bool {
        var little = reader
        little.endianness = .little
        guard let size = little.u32(at: 14) else { return false }
        return [12, 16, 40, 52, 56, 64, 108, 124].contains(size)
    }

    private static func isIcon(_ reader: ByteReader) -> Bool {
        var little = reader
        little.endianness = .little
        guard let count = little.u16(at: 4), let reserved = reader.u8(at: 9) else { return false }
        return count > 0 && (reserved == 0 || reserved == 255)
    }

    private static func brand(_ reader: ByteReader) -> FileFormat? {
        let length = min(reader.u32(at: 0) ?? 0, reader.count, 128)
        var isHEIF = false
        for offset in [8] + Array(stride(from: 16, to: max(16, length - 3), by: 4)) {
            if reader.has("avif", at: offset) || reader.has("avis", at: offset) { return .avif }
            for known: StaticString in ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1"]
            where reader.has(known, at: offset) {
                isHEIF = true
            }
        }
        return isHEIF ? .heif : nil
    }

    private static func isVector(_ reader: ByteReader) -> Bool {
        var beginning = XMLBeginning(reader.bytes)
        return beginning.element() == "svg"
    }
}

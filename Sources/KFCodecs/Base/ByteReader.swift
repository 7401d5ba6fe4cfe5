/// Reads numbers from untrusted bytes: every access beyond the end returns nil.
///
/// Borrows memory, so it must not outlive the closure that provided the pointer.
struct ByteReader {
    enum Endianness {
        case big
        case little
    }

    let bytes: UnsafeRawBufferPointer
    var endianness: Endianness

    init(_ bytes: UnsafeRawBufferPointer, _ endianness: Endianness) {
        self.bytes = bytes
        self.endianness = endianness
    }

    var count: Int { bytes.count }

    func u8(at offset: Int) -> Int? {
        guard offset >= 0, offset < bytes.count else { return nil }
        return Int(bytes[offset])
    }

    func u16(at offset: Int) -> Int? {
        guard let low = u8(at: offset), let high = u8(at: offset + 1) else { return nil }
        return endianness == .big ? low << 8 | high : high << 8 | low
    }

    func u32(at offset: Int) -> Int? {
        guard let first = u16(at: offset), let second = u16(at: offset + 2) else { return nil }
        return endianness == .big ? first << 16 | second : second << 16 | first
    }

    func i32(at offset: Int) -> Int? {
        u32(at: offset).map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    /// The `count` bytes at `offset`; nil if they do not lie inside.
    func slice(at offset: Int, count: Int) -> UnsafeRawBufferPointer? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
            return nil
        }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// Whether the ASCII characters of `text` are found at `offset`.
    func has(_ text: StaticString, at offset: Int) -> Bool {
        guard let part = slice(at: offset, count: text.utf8CodeUnitCount) else { return false }
        return part.elementsEqual(
            UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        )
    }
}

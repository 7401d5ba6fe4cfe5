import FoundationEssentials

/// Bytes of a file that are changed; accesses beyond the end return nil or do nothing.
///
/// ``ByteReader`` is for bytes that are only read.
struct UntrustedBytes {
    var bytes: [UInt8]
    var order = ByteReader.Endianness.big

    init(_ data: Data) { bytes = Array(data) }

    var count: Int { bytes.count }

    func u16(at offset: Int) -> Int? { number(at: offset, count: 2) }

    func u32(at offset: Int) -> Int? { number(at: offset, count: 4) }

    /// The `count` bytes at `offset`; nil if they do not lie inside.
    func slice(at offset: Int, count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
            return nil
        }
        return bytes[offset..<offset + count]
    }

    /// Whether the ASCII characters of `text` are found at `offset`.
    func has(_ text: String, at offset: Int) -> Bool {
        slice(at: offset, count: text.utf8.count)?.elementsEqual(text.utf8) == true
    }

    /// Overwrites a number of `count` bytes; does nothing if it does not lie inside.
    mutating func set(_ value: Int, at offset: Int, count: Int) {
        guard slice(at: offset, count: count) != nil else { return }
        bytes.replaceSubrange(
            offset..<offset + count,
            with: Self.number(value, count: count, order)
        )
    }

    /// Overwrites a range with zeros, or removes it if it is at the end.
    mutating func erase(at offset: Int, count length: Int) {
        guard offset >= 0, length > 0, offset < count else { return }
        let end = offset + min(length, count - offset)
        if end == count {
            bytes.removeLast(end - offset)
        } else {
            bytes.replaceSubrange(
                offset..<end,
                with: repeatElement(0, count: end - offset)
            )
        }
    }

    /// Overwrites the part of a range that lies inside with zeros.
    mutating func clear(at offset: Int, count length: Int) {
        guard offset >= 0, length > 0, offset < count else { return }
        let end = offset + min(length, count - offset)
        bytes.replaceSubrange(offset..<end, with: repeatElement(0, count: end - offset))
    }

    /// The low `count` bytes of a number.
    static func number(
        _ value: Int,
        count: Int,
        _ order: ByteReader.Endianness = .big
    ) -> [UInt8] {
        let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return order == .little ? little : little.reversed()
    }

    private func number(at offset: Int, count: Int) -> Int? {
        guard let part = slice(at: offset, count: count) else { return nil }
        return order == .big
            ? part.reduce(0) { $0 << 8 | Int($1) }
            : part.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

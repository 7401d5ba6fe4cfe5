import Foundation

/// Bytes of a file; every access beyond the end returns nil.
struct UntrustedBytes {
    var bytes: [UInt8]
    var isLittleEndian = false

    init(_ bytes: some Sequence<UInt8>, isLittleEndian: Bool = false) {
        self.bytes = Array(bytes)
        self.isLittleEndian = isLittleEndian
    }

    var count: Int { bytes.count }

    func u8(at offset: Int) -> Int? {
        bytes.indices.contains(offset) ? Int(bytes[offset]) : nil
    }

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
            with: Self.number(value, count: count, isLittleEndian: isLittleEndian)
        )
    }

    /// The low `count` bytes of a number.
    static func number(_ value: Int, count: Int, isLittleEndian: Bool = false) -> [UInt8] {
        let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isLittleEndian ? little : little.reversed()
    }

    private func number(at offset: Int, count: Int) -> Int? {
        guard let part = slice(at: offset, count: count) else { return nil }
        let ordered = isLittleEndian ? Array(part.reversed()) : Array(part)
        return ordered.reduce(0) { $0 << 8 | Int($1) }
    }
}

import Foundation
import Testing

/// Changes to the bytes of a fixture.
extension Data {
    /// The offset of the first occurrence of `text`.
    func index(of text: String) throws -> Int {
        try #require(range(of: Data(text.utf8))).lowerBound
    }

    /// A copy with the bytes from `offset` on replaced.
    func patched(_ bytes: [UInt8], at offset: Int) -> Data {
        var copy = Data(self)
        copy.replaceSubrange(offset..<offset + bytes.count, with: bytes)
        return copy
    }

    /// A copy with bytes inserted before `offset`.
    func inserting(_ bytes: [UInt8], at offset: Int) -> Data {
        prefix(offset) + bytes + suffix(from: offset)
    }
}

/// The bytes of integers.
enum Bytes {
    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ((count - 1 - $0) * 8)) }
    }

    static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }
}

import Foundation

/// A text that equals only texts of the same bytes.
///
/// `String` compares by canonical equivalence, so that `é` as one scalar equals `é` as two. Names
/// of files, paths and cache keys are bytes: use this type for their comparison, and as the key of
/// dictionaries and sets.
struct ByteText: Hashable, Sendable, CustomStringConvertible {
    let string: String

    init(_ string: String) { self.string = string }

    var description: String { string }

    func hash(into hasher: inout Hasher) {
        var string = string
        string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    static func == (left: ByteText, right: ByteText) -> Bool {
        var (left, right) = (left.string, right.string)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count, let bytes = left.baseAddress,
                    let others = right.baseAddress
                else { return left.isEmpty && right.isEmpty }
                return memcmp(bytes, others, left.count) == 0
            }
        }
    }
}

extension String {
    /// Whether the bytes of the text begin with those of another one; `hasPrefix` compares
    /// characters, so that a combining character after the prefix hides it.
    func startsWithBytes(of prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// Whether the bytes of the text end with those of another one.
    func endsWithBytes(of suffix: String) -> Bool {
        utf8.reversed().starts(with: suffix.utf8.reversed())
    }
}

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
        string.utf8.withContiguousStorageIfAvailable { hasher.combine(bytes: .init($0)) }
            ?? string.utf8.forEach { hasher.combine($0) }
    }

    static func == (left: ByteText, right: ByteText) -> Bool {
        left.string.utf8.elementsEqual(right.string.utf8)
    }
}

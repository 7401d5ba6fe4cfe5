import Foundation

/// Where the text of a cache entry divides into the source's key and the processor's identifier.
///
/// `a@b@c` is the text of the key `a` with the identifier `b@c`, of `a@b` with `c`, and of `a@b@c`
/// without an identifier. Entries of the same text replace each other; the division distinguishes
/// them.
struct KeyDivision: Hashable, Sendable {
    /// The length of the source's key in bytes if the key contains `@`, else 0.
    let offset: UInt32

    /// The source's key contains no `@`, so the text divides at its first one, if there is one.
    static let atFirst = KeyDivision(offset: 0)
    /// The caller knows only the text; matches every division.
    static let any = KeyDivision(offset: .max)

    init(offset: UInt32) { self.offset = offset }

    /// The division of a text that begins with a source's key.
    init(afterKey key: String) {
        self = Self.hasAt(key) ? Self(offset: UInt32(clamping: key.utf8.count)) : .atFirst
    }

    /// The division of a text whose parts are unknown.
    init(ofText text: String) { self = Self.hasAt(text) ? .any : .atFirst }

    @inline(__always)
    func matches(_ other: KeyDivision) -> Bool {
        self == other || self == .any || other == .any
    }

    private static func hasAt(_ text: String) -> Bool {
        let at = UInt8(ascii: "@")
        return text.utf8.withContiguousStorageIfAvailable {
            $0.baseAddress.map { memchr($0, Int32(at), text.utf8.count) != nil } ?? false
        } ?? text.utf8.contains(at)
    }
}

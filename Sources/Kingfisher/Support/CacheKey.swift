/// A cache key with its hash, which is computed once per request and carried from there on.
///
/// The hash is seeded per process, so it must not be kept anywhere, and nobody outside can aim for
/// collisions.
struct CacheKey: Hashable, Sendable {
    let string: String
    let hash: Int

    /// - Complexity: O(length of `string`), about 30 ns for a URL.
    init(_ string: String) {
        self.string = string
        hash = KeyHash.of(string)
    }

    /// Makes a key whose hash is known.
    init(_ string: String, hash: Int) {
        self.string = string
        self.hash = hash
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (left: CacheKey, right: CacheKey) -> Bool {
        // Strings compare by canonical equivalence, the hash goes by bytes: so does equality, as
        // long as the hashes are compared first.
        left.hash == right.hash && left.string == right.string
    }
}

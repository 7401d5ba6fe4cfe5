/// A cache key with its hash, which is computed once per request.
///
/// The hash is seeded per process, so it must not be persisted, and collisions cannot be forced
/// from outside.
struct CacheKey: Hashable, Sendable {
    let string: String
    let hash: Int

    /// - Complexity: O(length of `string`), about 30 ns for a URL.
    init(_ string: String) {
        self.string = string
        hash = KeyHash.of(string)
    }

    /// Makes a key from a hash computed before.
    init(_ string: String, hash: Int) {
        self.string = string
        self.hash = hash
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (left: CacheKey, right: CacheKey) -> Bool {
        // Strings compare by canonical equivalence, but the hash is of bytes. Comparing the hashes
        // first makes equality bytewise too.
        left.hash == right.hash && left.string == right.string
    }
}

/// A cache key with its hash, which is computed once per request.
///
/// The hash is seeded per process, so it must not be persisted, and collisions cannot be forced
/// from outside.
///
/// Keys are equal if their texts are, whatever their divisions.
struct CacheKey: Hashable, Sendable {
    let string: String
    let hash: Int
    let division: KeyDivision

    /// - Complexity: O(length of `string`), about 30 ns for a URL.
    init(_ string: String, division: KeyDivision = .any) {
        self.init(string, hash: KeyHash.of(string), division: division)
    }

    /// Makes a key from a hash computed before.
    init(_ string: String, hash: Int, division: KeyDivision) {
        self.string = string
        self.hash = hash
        self.division = division
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (left: CacheKey, right: CacheKey) -> Bool {
        // Strings compare by canonical equivalence, but the hash is of bytes. Comparing the hashes
        // first makes equality bytewise too.
        left.hash == right.hash && left.string == right.string
    }
}

/// Hashes of keys within one process.
///
/// Mixes sixteen bytes at a time with a secret, multiplies to double width and folds the halves
/// (the construction of wyhash, https://github.com/wangyi-fudan/wyhash). The standard library's
/// hash takes twice as long for a URL.
enum KeyHash {
    private struct Secret {
        let first = UInt64.random(in: .min ... .max)
        let second = UInt64.random(in: .min ... .max)
        let last = UInt64.random(in: .min ... .max)
    }

    private static let secret = Secret()

    static func of(_ string: String) -> Int {
        if let hash = string.utf8.withContiguousStorageIfAvailable({ of(.init($0)) }) {
            return hash
        }
        return Array(string.utf8).withUnsafeBytes { of($0) }
    }

    /// The hash of the bytes of a buffer.
    static func of(_ bytes: UnsafeRawBufferPointer) -> Int {
        let secret = secret
        let count = bytes.count
        var state = secret.first
        var offset = 0
        while count - offset > 16 {
            state = fold(word(bytes, offset) ^ secret.second, word(bytes, offset + 8) ^ state)
            offset += 16
        }
        let (low, high) = tail(bytes)
        state = fold(low ^ secret.second, high ^ state)
        // The count is mixed in last: next to the bytes it could compensate for a different byte.
        let length = UInt64(truncatingIfNeeded: count)
        return Int(truncatingIfNeeded: fold(state ^ secret.last, secret.second ^ length))
    }

    /// The last sixteen bytes, or all if there are fewer.
    @inline(__always)
    private static func tail(_ bytes: UnsafeRawBufferPointer) -> (UInt64, UInt64) {
        let count = bytes.count
        if count >= 16 { return (word(bytes, count - 16), word(bytes, count - 8)) }
        if count >= 8 { return (word(bytes, 0), word(bytes, count - 8)) }
        let all = bytes.reduce(0) { $0 << 8 | UInt64($1) }
        return (all, 0)
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}

internal import CServerCrypto

/// The keys that sign and verify the paths of URLs.
///
/// A signature is the URL-safe Base64 without padding of the first ``size`` bytes of
/// HMAC-SHA256(key, salt + path), where the path starts with the slash after the signature.
struct SignatureKeys: Sendable, Hashable {
    /// A key with its salt.
    struct Pair: Sendable, Hashable {
        var key: [UInt8]
        var salt: [UInt8]

        /// Makes a pair.
        init(key: [UInt8], salt: [UInt8]) {
            (self.key, self.salt) = (key, salt)
        }
    }

    /// The first pair signs and all pairs verify; without pairs every signature is valid.
    var pairs: [Pair]
    /// The number of bytes of a signature before encoding, 1…32.
    var size: Int
    /// Texts that are accepted in place of a signature.
    var trusted: [String]

    /// Makes keys; the configuration has checked the size.
    init(_ pairs: [Pair] = [], size: Int = 32, trusted: [String] = []) {
        (self.pairs, self.size, self.trusted) = (pairs, size, trusted)
    }

    /// Whether a signature is needed.
    var isRequired: Bool { !pairs.isEmpty }

    /// The signature of a path by the first pair, or `unsafe` if there are no keys.
    ///
    /// - Parameter path: The path after the signature, with its leading slash.
    /// - Returns: The text to put before the path.
    func signature(of path: some StringProtocol) -> String {
        guard let pair = pairs.first else { return "unsafe" }
        return Base64URL.encoded(digest(of: path, by: pair))
    }

    /// Whether a text is the signature of a path by one of the pairs, or a trusted one.
    ///
    /// The time does not depend on how much of the signature is right.
    func accepts(_ signature: some StringProtocol, for path: some StringProtocol) -> Bool {
        guard isRequired else { return true }
        var isAccepted = false
        let given = Base64URL.decoded(signature) ?? []
        for pair in pairs where Self.areEqual(given, digest(of: path, by: pair)) {
            isAccepted = true
        }
        for text in trusted where Self.areEqual(Array(signature.utf8), Array(text.utf8)) {
            isAccepted = true
        }
        return isAccepted
    }

    private func digest(of path: some StringProtocol, by pair: Pair) -> ArraySlice<UInt8> {
        Digest.hmac(pair.key, pair.salt + Array(path.utf8)).prefix(min(size, 32))
    }

    private static func areEqual(_ left: [UInt8], _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count, !left.isEmpty else { return false }
        return CRYPTO_memcmp(left, Array(right), left.count) == 0
    }
}

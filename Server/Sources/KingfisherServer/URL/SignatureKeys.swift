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
    var pairs: [Pair] = []
    /// The number of bytes of a signature before encoding, 1…32.
    var size = 32
    /// Texts that are accepted in place of a signature.
    var trusted: [String] = []

    /// No keys.
    init() {}

    /// Reads the values of the configuration.
    ///
    /// - Parameters:
    ///   - keys: `KEY`: hexadecimal, several separated by commas.
    ///   - salts: `SALT`: as many as there are keys, in the same order.
    ///   - size: `SIGNATURE_SIZE`.
    ///   - trusted: `TRUSTED_SIGNATURES`.
    /// - Throws: ``InvalidSetting``.
    init(
        keys: String,
        salts: String,
        size: Int = 32,
        trusted: [String] = []
    ) throws(InvalidSetting) {
        let keys = try Self.list(keys, name: "KEY")
        let salts = try Self.list(salts, name: "SALT")
        guard keys.count == salts.count else {
            let counts = "\(keys.count) keys and \(salts.count) salts"
            throw InvalidSetting("SALT", "there must be one salt for each key, not \(counts)")
        }
        guard (1...32).contains(size) else {
            throw InvalidSetting("SIGNATURE_SIZE", "\(size) is not in 1…32")
        }
        pairs = zip(keys, salts).map(Pair.init)
        self.size = size
        self.trusted = trusted.filter { !$0.isEmpty }
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
        let message = pair.salt + Array(path.utf8)
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        let result = HMAC(
            EVP_sha256(),
            pair.key,
            Int32(pair.key.count),
            message,
            message.count,
            &digest,
            &length
        )
        precondition(result != nil && length == 32, "libcrypto has no SHA-256")
        return digest.prefix(min(size, 32))
    }

    private static func areEqual(_ left: [UInt8], _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count, !left.isEmpty else { return false }
        return CRYPTO_memcmp(left, Array(right), left.count) == 0
    }

    private static func list(_ text: String, name: String) throws(InvalidSetting) -> [[UInt8]] {
        guard !text.isEmpty else { return [] }
        var values: [[UInt8]] = []
        for item in text.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = item.filter { !$0.isWhitespace }
            // No part of the value: it is secret.
            guard let bytes = PercentEncoding.hexBytes(digits), !bytes.isEmpty,
                bytes.count <= 1 << 16
            else {
                throw InvalidSetting(name, "entry \(values.count + 1) is not hexadecimal")
            }
            values.append(bytes)
        }
        return values
    }
}

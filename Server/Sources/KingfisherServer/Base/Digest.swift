import CServerCrypto
import Foundation

/// Hashes and comparisons for tokens and tags.
enum Digest {
    /// The SHA-256 of bytes.
    static func sha256(_ data: Data) -> [UInt8] { data.withUnsafeBytes { sha256($0) } }

    /// The SHA-256 of bytes.
    static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let result = EVP_Digest(bytes.baseAddress, bytes.count, &digest, nil, EVP_sha256(), nil)
        // Otherwise zeros would be the tag of everything.
        precondition(result == 1, "libcrypto has no SHA-256")
        return digest
    }

    /// The HMAC-SHA256 of a message.
    static func hmac(_ key: [UInt8], _ message: some Sequence<UInt8>) -> [UInt8] {
        let message = Array(message)
        var digest = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        let result = HMAC(
            EVP_sha256(),
            key,
            Int32(key.count),
            message,
            message.count,
            &digest,
            &length
        )
        // Otherwise zeros would be a valid signature.
        precondition(result != nil && length == 32, "libcrypto has no SHA-256")
        return digest
    }

    /// The beginning of the SHA-256 of texts as 32 hexadecimal digits.
    static func tag(of parts: [String]) -> String {
        // A zero byte separates the parts, which header values and URLs cannot contain.
        Hexadecimal.text(of: sha256(Data(parts.joined(separator: "\0").utf8)).prefix(16))
    }

    /// Whether two secrets are equal; takes the same time wherever they differ.
    ///
    /// Their hashes are compared, so that the length is not revealed either.
    static func areEqual(_ a: String, _ b: String) -> Bool {
        let (a, b) = (sha256(Data(a.utf8)), sha256(Data(b.utf8)))
        return CRYPTO_memcmp(a, b, a.count) == 0
    }
}

internal import CServerCrypto

/// Sources that are encrypted with AES-CBC: the initialization vector and the encrypted text.
///
/// Nothing but the signature of the path protects the text from changes, so that every failure has
/// the same error: an attacker must not learn how far the decryption came.
enum EncryptedSource {
    private static let blockSize = 16

    /// The text of a source; nil if it was not encrypted with the key.
    static func decrypted(_ bytes: [UInt8], with key: [UInt8]) -> String? {
        let text = bytes.dropFirst(blockSize)
        guard !text.isEmpty, text.count % blockSize == 0, let cipher = cipher(of: key.count),
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        var result = [UInt8](repeating: 0, count: text.count + blockSize)
        var (count, rest): (Int32, Int32) = (0, 0)
        let vector = Array(bytes.prefix(blockSize))
        let isDecrypted = result.withUnsafeMutableBufferPointer { buffer in
            EVP_DecryptInit_ex(context, cipher, nil, key, vector) == 1
                && EVP_DecryptUpdate(
                    context,
                    buffer.baseAddress,
                    &count,
                    Array(text),
                    Int32(text.count)
                ) == 1
                && EVP_DecryptFinal_ex(context, buffer.baseAddress.map { $0 + Int(count) }, &rest)
                    == 1
        }
        guard isDecrypted else { return nil }
        return String(validating: result.prefix(Int(count + rest)), as: UTF8.self)
    }

    private static func cipher(of size: Int) -> OpaquePointer? {
        switch size {
        case 16: EVP_aes_128_cbc()
        case 24: EVP_aes_192_cbc()
        case 32: EVP_aes_256_cbc()
        default: nil
        }
    }
}

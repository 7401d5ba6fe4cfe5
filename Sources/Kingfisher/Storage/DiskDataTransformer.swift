import Crypto
import Foundation

/// Turns bytes into those that go to the disk and back, to encrypt them for example.
protocol DiskDataTransformer: Sendable {
    /// Returns what is written for `data` to the file of this name.
    func seal(_ data: Data, name: String) throws -> Data

    /// Returns what was sealed under this name.
    ///
    /// - Throws: If the bytes are not what ``seal(_:name:)`` made; the entry counts as damaged.
    func open(_ data: Data, name: String) throws -> Data
}

/// Encrypts entries with AES-GCM, bound to the names of their files.
///
/// Keys of entries stay readable in the index.
struct AESGCMTransformer: DiskDataTransformer {
    let key: SymmetricKey

    func seal(_ data: Data, name: String) throws -> Data {
        let box = try AES.GCM.seal(data, using: key, authenticating: Data(name.utf8))
        // Only a nonce of unusual length has no combined form, and this one is made by default.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return combined
    }

    func open(_ data: Data, name: String) throws -> Data {
        let box = try AES.GCM.SealedBox(combined: data)
        return try AES.GCM.open(box, using: key, authenticating: Data(name.utf8))
    }
}

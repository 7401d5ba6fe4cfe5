import Crypto
public import Foundation

/// Turns bytes into those that go to the disk and back, to encrypt them for example.
public protocol DiskDataTransformer: Sendable {
    /// Returns what is written for `data` to the file of this name.
    func seal(_ data: Data, name: String) throws -> Data

    /// Returns what was sealed under this name.
    ///
    /// - Throws: If the bytes are not what ``seal(_:name:)`` made; the entry counts as damaged.
    func open(_ data: Data, name: String) throws -> Data
}

/// Encrypts entries with AES-GCM, bound to the names of their files.
///
/// Keys of entries, such as URLs, stay readable in the index. Files are no pictures for others then.
public struct AESGCMTransformer: DiskDataTransformer {
    private let key: SymmetricKey

    /// Makes a transformer with a secret key, which must stay the same for a folder's files.
    ///
    /// - Parameter key: 16, 24 or 32 random bytes; any other number traps.
    public init(key: Data) {
        precondition([16, 24, 32].contains(key.count), "an AES key has 16, 24 or 32 bytes")
        self.key = SymmetricKey(data: key)
    }

    /// Returns the encrypted bytes, 28 more than `data` has.
    public func seal(_ data: Data, name: String) throws -> Data {
        let box = try AES.GCM.seal(data, using: key, authenticating: Data(name.utf8))
        // Only a nonce of unusual length has no combined form, and this one is made by default.
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return combined
    }

    /// Returns the bytes that were encrypted with this key under this name.
    public func open(_ data: Data, name: String) throws -> Data {
        let box = try AES.GCM.SealedBox(combined: data)
        return try AES.GCM.open(box, using: key, authenticating: Data(name.utf8))
    }
}

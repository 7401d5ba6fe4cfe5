internal import CCryptoShim
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

/// Encrypts entries with AES-GCM (NIST SP 800-38D) by libcrypto, bound to the names of their files.
///
/// Keys of entries, such as URLs, stay readable in the index.
public struct AESGCMTransformer: DiskDataTransformer {
    /// Why bytes could not be encrypted or decrypted.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        /// A sentence for people.
        public let description: String
    }

    private static let overhead = Int(KF_GCM_NONCE_BYTES) + Int(KF_GCM_TAG_BYTES)

    private let key: Data

    /// Makes a transformer with a secret key, which must stay the same for a folder's files.
    ///
    /// - Parameter key: 16, 24 or 32 random bytes; any other number traps.
    public init(key: Data) {
        precondition([16, 24, 32].contains(key.count), "an AES key has 16, 24 or 32 bytes")
        self.key = key
    }

    /// Encrypts bytes and authenticates them together with their name.
    ///
    /// - Parameters:
    ///   - data: The bytes of the entry, below 2 GiB.
    ///   - name: The name of its file, which is authenticated with the bytes.
    /// - Returns: A random nonce of 12 bytes, the ciphertext and a tag of 16 bytes.
    /// - Throws: ``Failure`` if `data` is larger, or libcrypto has no random numbers.
    public func seal(_ data: Data, name: String) throws -> Data {
        var sealed = Data(count: data.count + Self.overhead)
        let isSealed = sealed.withUnsafeMutableBytes { sealed in
            call(kf_gcm_seal, data, name, sealed)
        }
        guard isSealed else { throw Failure(description: "libcrypto could not encrypt the entry") }
        return sealed
    }

    /// Decrypts bytes and checks that neither they nor their name were changed.
    ///
    /// - Parameters:
    ///   - data: The result of ``seal(_:name:)``.
    ///   - name: The name of the file, the same as when it was sealed.
    /// - Returns: The bytes that were sealed.
    /// - Throws: ``Failure`` if the key or the name is another or the bytes were changed.
    public func open(_ data: Data, name: String) throws -> Data {
        var bytes = Data(count: max(0, data.count - Self.overhead))
        let isOpen = bytes.withUnsafeMutableBytes { bytes in
            call(kf_gcm_open, data, name, bytes)
        }
        guard isOpen else {
            throw Failure(description: "the entry was changed, or sealed with another key or name")
        }
        return bytes
    }

    private typealias Operation = (
        UnsafePointer<UInt8>?, Int, UnsafeRawPointer?, Int, UnsafePointer<UInt8>?, Int,
        UnsafeMutablePointer<UInt8>?
    ) -> CInt

    /// Calls one of the two functions of the shim, whose arguments are alike.
    private func call(
        _ operation: Operation,
        _ input: Data,
        _ name: String,
        _ output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        var name = name
        return key.withUnsafeBytes { key in
            name.withUTF8 { name in
                input.withUnsafeBytes { input in
                    operation(
                        key.bindMemory(to: UInt8.self).baseAddress,
                        key.count,
                        name.baseAddress,
                        name.count,
                        input.bindMemory(to: UInt8.self).baseAddress,
                        input.count,
                        output.bindMemory(to: UInt8.self).baseAddress
                    ) == 1
                }
            }
        }
    }
}

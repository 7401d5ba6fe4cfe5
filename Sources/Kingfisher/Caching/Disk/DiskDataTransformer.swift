internal import CKFCryptoShim
public import Foundation

/// Converts bytes before they are written to disk and after they are read, for example to encrypt
/// them.
public protocol DiskDataTransformer: Sendable {
    /// Returns the bytes to write for an entry.
    ///
    /// - Parameters:
    ///   - data: The bytes of the entry.
    ///   - name: The name of its file.
    /// - Returns: The bytes to write.
    /// - Throws: Any error; the entry is then not stored.
    func seal(_ data: Data, name: String) throws -> Data

    /// Returns the bytes that were passed to ``seal(_:name:)``.
    ///
    /// - Parameters:
    ///   - data: The bytes of the file.
    ///   - name: The name of the file.
    /// - Returns: The bytes of the entry.
    /// - Throws: Any error if the bytes are not the result of ``seal(_:name:)``; the entry then
    ///   counts as damaged.
    func open(_ data: Data, name: String) throws -> Data
}

/// Encrypts entries with AES-GCM (NIST SP 800-38D) of libcrypto and binds them to their file names.
///
/// The keys of entries, such as URLs, remain readable in the index.
public struct AESGCMTransformer: DiskDataTransformer {
    /// The reason why bytes could not be encrypted or decrypted.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        /// The reason as a sentence.
        public let description: String
    }

    private static let overhead = Int(KF_GCM_NONCE_BYTES) + Int(KF_GCM_TAG_BYTES)

    private let key: Data

    /// Makes a transformer with a secret key, which must not change while a folder has files.
    ///
    /// - Parameter key: 16, 24 or 32 random bytes; other lengths trap.
    public init(key: Data) {
        precondition([16, 24, 32].contains(key.count), "an AES key has 16, 24 or 32 bytes")
        self.key = key
    }

    /// Encrypts bytes and authenticates them together with the file name.
    ///
    /// - Parameters:
    ///   - data: The bytes of the entry, less than 2 GiB.
    ///   - name: The name of the file.
    /// - Returns: A random nonce of 12 bytes, the ciphertext and a tag of 16 bytes.
    /// - Throws: ``Failure`` if `data` is too large or libcrypto has no random numbers.
    public func seal(_ data: Data, name: String) throws -> Data {
        var sealed = Data(count: data.count + Self.overhead)
        let isSealed = sealed.withUnsafeMutableBytes { sealed in
            call(kf_gcm_seal, data, name, sealed)
        }
        guard isSealed else { throw Failure(description: "libcrypto could not encrypt the entry") }
        return sealed
    }

    /// Decrypts bytes and verifies that neither they nor the file name were changed.
    ///
    /// - Parameters:
    ///   - data: The result of ``seal(_:name:)``.
    ///   - name: The name of the file, which must be the same as for ``seal(_:name:)``.
    /// - Returns: The original bytes.
    /// - Throws: ``Failure`` if the key or the name differs, or if the bytes were changed.
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

    /// Calls one of the two functions of the shim, which have the same parameters.
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

/// A value that can be stored in a file.
public protocol DataTransformable {
    /// Returns the bytes from which ``fromData(_:)`` makes an equal value.
    ///
    /// - Returns: The bytes.
    /// - Throws: Any error; the value is then not stored.
    func toData() throws -> Data

    /// Makes a value from the bytes of a file.
    ///
    /// - Parameter data: The result of ``toData()``.
    /// - Returns: The value.
    /// - Throws: Any error; the file then counts as damaged.
    static func fromData(_ data: Data) throws -> Self

    /// A placeholder used if only the existence of a file matters.
    static var empty: Self { get }
}

extension Data: DataTransformable {
    /// Returns the data itself; never throws.
    ///
    /// See ``DataTransformable/toData()``.
    public func toData() throws -> Data { self }

    /// Returns the data itself; never throws.
    ///
    /// See ``DataTransformable/fromData(_:)``.
    public static func fromData(_ data: Data) throws -> Data { data }

    /// No bytes.
    public static let empty = Data()
}

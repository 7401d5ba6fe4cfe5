import Foundation
import Synchronization

/// Derives the name of an entry's file from its key.
struct FileNaming: Sendable, Equatable {
    /// Whether the name is the key's SHA-256 in 64 lower-case hexadecimal digits, or the key
    /// itself.
    var usesHash = true
    /// An extension for every name.
    var pathExtension: String?
    /// Whether a hashed name gets the extension found in the key.
    var addsExtensionOfKey = false

    /// Returns the name of the file for a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - forcedExtension: Overrides the extension of the settings.
    ///   - digest: The digest of the key, which is computed at most once.
    /// - Returns: The name, without a folder.
    func name(
        forKey key: String,
        forcedExtension: String? = nil,
        digest: KeyDigest = KeyDigest()
    ) -> String {
        let base = usesHash ? digest.text(of: key) : key
        guard let suffix = forcedExtension ?? pathExtension ?? extensionOfKey(key) else {
            return base
        }
        return "\(base).\(suffix)"
    }

    /// Whether a name is valid for an entry's file: a single path component, and not one of the
    /// store's own.
    static func isEntryName(_ name: String) -> Bool {
        let bytes = name.utf8
        return (1...255).contains(bytes.count) && name != "." && name != ".."
            && !bytes.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
            && !DiskFolder.isOwn(name)
    }

    /// Whether a name is the hash of a key.
    static func isHashed(_ name: String) -> Bool {
        let digits = name.utf8.prefix { $0 != UInt8(ascii: ".") }
        return digits.count == 64
            && digits.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private func extensionOfKey(_ key: String) -> String? {
        usesHash && addsExtensionOfKey ? Self.fileExtension(in: key) : nil
    }

    /// The letters and digits between the last dot and the first `@`, if there are 1 to 20.
    ///
    /// In a computed key, the text after the `@` belongs to the processor.
    static func fileExtension(in key: String) -> String? {
        let location = key.utf8.prefix { $0 != UInt8(ascii: "@") }
        guard let dot = location.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let suffix = String(decoding: location[location.index(after: dot)...], as: UTF8.self)
        let scalars = suffix.unicodeScalars
        let isPlain = scalars.allSatisfy {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
        }
        return (1...20).contains(scalars.count) && isPlain ? suffix : nil
    }
}

/// The SHA-256 of one key, computed when it is first needed.
final class KeyDigest: Sendable {
    private let known = Mutex<String?>(nil)

    /// The digest in 64 lower-case hexadecimal digits.
    ///
    /// - Parameter key: The same key in every call.
    /// - Returns: The digest.
    func text(of key: String) -> String {
        known.withLock { known in
            if let known { return known }
            var key = key
            let digest = key.withUTF8 { SHA256.hash(UnsafeRawBufferPointer($0)) }
            let text = digest.withUnsafeBytes { Hexadecimal.text(of: $0) }
            known = text
            return text
        }
    }
}

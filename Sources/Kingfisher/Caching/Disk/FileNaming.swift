import Foundation

/// How the name of an entry's file follows from its key.
struct FileNaming: Sendable, Equatable {
    /// The key's SHA-256 in 64 lower-case hexadecimal digits, or else the key itself.
    var usesHash = true
    /// Comes after every name.
    var pathExtension: String?
    /// Whether a hashed name ends in the extension that is found in the key.
    var addsExtensionOfKey = false

    /// Returns the name of the file for a key.
    ///
    /// An extension that the caller forces goes before that of the settings.
    func name(forKey key: String, forcedExtension: String? = nil) -> String {
        let base = usesHash ? Self.hash(key) : key
        guard let suffix = forcedExtension ?? pathExtension ?? extensionOfKey(key) else {
            return base
        }
        return "\(base).\(suffix)"
    }

    private func extensionOfKey(_ key: String) -> String? {
        usesHash && addsExtensionOfKey ? Self.fileExtension(in: key) : nil
    }

    /// The letters and digits between the last dot and the first `@`, if they are 1 to 20.
    ///
    /// What follows the `@` in a computed key belongs to the processor.
    static func fileExtension(in key: String) -> String? {
        let location = key.prefix { $0 != "@" }
        guard let dot = location.lastIndex(of: ".") else { return nil }
        let suffix = location[location.index(after: dot)...]
        let isPlain = suffix.allSatisfy { $0.isLetter || $0.isNumber }
        return (1...20).contains(suffix.count) && isPlain ? String(suffix) : nil
    }

    private static func hash(_ key: String) -> String {
        var key = key
        let digest = key.withUTF8 { SHA256.hash(UnsafeRawBufferPointer($0)) }
        return digest.withUnsafeBytes { Hexadecimal.text(of: $0) }
    }
}

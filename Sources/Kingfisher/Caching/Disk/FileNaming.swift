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
        name(forKey: key, uniqueKey: key, forcedExtension: forcedExtension)
    }

    /// As above, of a text that stands for the key and no other; extensions are looked for in the
    /// key itself.
    func name(forKey key: String, uniqueKey: String, forcedExtension: String?) -> String {
        let base = usesHash ? Self.hash(uniqueKey) : uniqueKey
        guard let suffix = forcedExtension ?? pathExtension ?? extensionOfKey(key) else {
            return base
        }
        return "\(base).\(suffix)"
    }

    /// Whether an entry's file can have a name: a single component, and none of the store's own.
    static func isEntryName(_ name: String) -> Bool {
        let bytes = name.utf8
        return (1...255).contains(bytes.count) && name != "." && name != ".."
            && !bytes.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
            && !name.hasPrefix(DiskStore.ownPrefix)
    }

    /// Whether a name is one that the hash of a key gives.
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

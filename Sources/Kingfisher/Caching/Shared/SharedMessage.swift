import Foundation

/// A message to other machines: these entries were removed.
struct SharedMessage {
    private struct Wire: Codable {
        struct Entry: Codable {
            let key: String
            let ext: String?
        }

        static let currentVersion = 1

        var version = Self.currentVersion
        let sender: String
        let removed: [Entry]
    }

    /// The size limit in bytes.
    static let maximalSize = 65_536
    /// The most bytes of a key with its extension: escaped, each takes up to six, and such a message
    /// has room for them, encrypted or not.
    static let longestName = 8_192
    private static let name = "message"

    /// Identifies the cache that sent the message.
    let sender: String
    /// The entries: all of their computed keys, since only one of them exists at a time.
    let entries: [CacheEntryName]

    init(sender: String, removed entries: [CacheEntryName]) {
        self.sender = sender
        self.entries = entries
    }

    /// Parses a message; nil if it is invalid.
    init?(_ bytes: Data, by transformer: (any DiskDataTransformer)?) {
        guard bytes.count <= Self.maximalSize,
            let plain = transformer.map({ try? $0.open(bytes, name: Self.name) }) ?? bytes,
            let wire = try? JSONDecoder().decode(Wire.self, from: plain),
            wire.version == Wire.currentVersion
        else { return nil }
        sender = wire.sender
        entries = wire.removed.map { CacheEntryName(computedKey: $0.key, forced: $0.ext) }
    }

    /// The encoded message; nil if it is too large or cannot be encrypted.
    func encoded(by transformer: (any DiskDataTransformer)?) -> Data? {
        let removed = entries.map { Wire.Entry(key: $0.computedKey, ext: $0.forcedExtension) }
        guard let plain = try? JSONEncoder().encode(Wire(sender: sender, removed: removed)),
            let bytes = transformer.map({ try? $0.seal(plain, name: Self.name) }) ?? plain,
            bytes.count <= Self.maximalSize
        else { return nil }
        return bytes
    }

    /// A random identity.
    static func makeSender() -> String {
        var random = SystemRandomNumberGenerator()
        return String(random.next(), radix: 16)
    }
}

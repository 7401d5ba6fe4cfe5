import Foundation

/// The name under which an image is cached: the source's key, the processor, the extension.
///
/// A load makes it once and carries it, and the key's hash with it, through all its lookups.
struct CacheEntryName: Hashable, Sendable {
    /// The unique form of the computed key, and its hash.
    let memoryKey: CacheKey
    let forcedExtension: String?
    /// The source's key followed by the processor's identifier, for people.
    let computedKey: String

    /// What names of memory and of files are made of.
    var uniqueKey: String { memoryKey.string }

    init(key: String, identifier: String, forced: String?) {
        computedKey = identifier.isEmpty ? key : "\(key)@\(identifier)"
        memoryKey = CacheKey(
            Self.isAmbiguous(key) ? Self.unique(key, identifier) : computedKey
        )
        forcedExtension = forced
    }

    init(key: String, options: KingfisherParsedOptionsInfo) {
        self.init(
            key: key,
            identifier: options.processor.identifier,
            forced: options.forcedExtension
        )
    }

    /// Whether a key could be read as another key with the identifier of a processor.
    static func isAmbiguous(_ key: String) -> Bool {
        let at = Int32(UInt8(ascii: "@"))
        return key.utf8.withContiguousStorageIfAvailable {
            $0.baseAddress.map { memchr($0, at, key.utf8.count) != nil } ?? false
        } ?? key.utf8.contains(UInt8(ascii: "@"))
    }

    /// The form of an ambiguous key that no other key and identifier have.
    ///
    /// A key without `@` gives a text without it, or one with something behind its first `@`. This
    /// form has its only `@` at the end. What is before it tells key and identifier apart, because
    /// both are escaped, and escaping leaves no `%/`.
    private static func unique(_ key: String, _ identifier: String) -> String {
        "\(escaped(key))%/\(escaped(identifier))@"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "@", with: "%40")
    }
}

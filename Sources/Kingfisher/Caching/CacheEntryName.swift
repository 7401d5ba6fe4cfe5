import Foundation

/// The name under which an image is cached: the source's key, the processor and the extension.
///
/// A load makes it once and uses it, with the hash of the key, for all its lookups.
struct CacheEntryName: Hashable, Sendable {
    /// The unambiguous form of the computed key, with its hash.
    let memoryKey: CacheKey
    let forcedExtension: String?
    /// The source's key followed by the processor's identifier, for display.
    let computedKey: String

    /// The text from which the names in memory and of files are made.
    var uniqueKey: String { memoryKey.string }

    init(key: String, identifier: String, forced: String?) {
        computedKey = identifier.isEmpty ? key : "\(key)@\(identifier)"
        memoryKey = CacheKey(
            Self.isAmbiguous(key) ? Self.unique(key, identifier) : computedKey
        )
        forcedExtension = forced
    }

    /// A name that was made elsewhere.
    init(computedKey: String, uniqueKey: String, forced: String?) {
        self.computedKey = computedKey
        memoryKey = CacheKey(uniqueKey)
        forcedExtension = forced
    }

    init(key: String, options: KingfisherParsedOptionsInfo) {
        self.init(
            key: key,
            identifier: options.processor.identifier,
            forced: options.forcedExtension
        )
    }

    /// Whether a key could be mistaken for another key with a processor's identifier.
    static func isAmbiguous(_ key: String) -> Bool {
        let at = Int32(UInt8(ascii: "@"))
        return key.utf8.withContiguousStorageIfAvailable {
            $0.baseAddress.map { memchr($0, at, key.utf8.count) != nil } ?? false
        } ?? key.utf8.contains(UInt8(ascii: "@"))
    }

    /// The unambiguous form of an ambiguous key and an identifier.
    ///
    /// A key without `@` yields a text without it, or one that continues after its first `@`. This
    /// form has its only `@` at the end, so it cannot equal such a text. Key and identifier are
    /// separated by `%/`, which escaping never produces.
    private static func unique(_ key: String, _ identifier: String) -> String {
        "\(escaped(key))%/\(escaped(identifier))@"
    }

    private static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "@", with: "%40")
    }
}

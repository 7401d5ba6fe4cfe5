/// The name under which an image is cached: the source's key, the processor, the extension.
///
/// A load makes it once and carries it, and the key's hash with it, through all its lookups.
struct CacheEntryName: Hashable, Sendable {
    /// The key with the processor's identifier behind it, and its hash.
    let memoryKey: CacheKey
    let forcedExtension: String?

    var computedKey: String { memoryKey.string }

    init(key: String, identifier: String, forced: String?) {
        memoryKey = CacheKey(identifier.isEmpty ? key : "\(key)@\(identifier)")
        forcedExtension = forced
    }

    init(key: String, options: KingfisherParsedOptionsInfo) {
        self.init(
            key: key,
            identifier: options.processor.identifier,
            forced: options.forcedExtension
        )
    }
}

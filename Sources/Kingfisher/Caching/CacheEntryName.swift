/// The name under which an image is cached: the source's key, the processor, the extension.
struct CacheEntryName: Hashable, Sendable {
    /// The key with the processor's identifier behind it.
    let computedKey: String
    let forcedExtension: String?

    init(key: String, identifier: String, forced: String?) {
        computedKey = identifier.isEmpty ? key : "\(key)@\(identifier)"
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

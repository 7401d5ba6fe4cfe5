/// The name under which an image is cached: the source's key, the processor and the extension.
///
/// A load makes it once and uses it, with the hash and the digest of the key, for all its lookups.
struct CacheEntryName: Hashable, Sendable {
    /// The computed key with its hash and its division.
    let memoryKey: CacheKey
    let forcedExtension: String?
    /// The digest of the computed key, which all copies share.
    let digest = KeyDigest()

    /// The source's key, followed by the processor's identifier: the text from which the names in
    /// memory and of files are made.
    var computedKey: String { memoryKey.string }

    /// The keys in memory of all that is removed with the entry: its image, and the bytes of an
    /// original that a program keeps.
    var memoryKeys: [CacheKey] {
        let identifier = OriginalBytesProcessor.identifier
        let bytes = CacheEntryName(key: computedKey, identifier: identifier, forced: nil)
        return [memoryKey, bytes.memoryKey]
    }

    /// Where the computed key divides; distinguishes entries with the same computed key.
    var division: KeyDivision { memoryKey.division }

    init(key: String, identifier: String, forced: String?) {
        memoryKey = CacheKey(
            identifier.isEmpty ? key : "\(key)@\(identifier)",
            division: KeyDivision(afterKey: key)
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

    /// All entries with a computed key.
    init(computedKey: String, forced: String?) {
        memoryKey = CacheKey(computedKey)
        forcedExtension = forced
    }

    func hash(into hasher: inout Hasher) { hasher.combine(memoryKey) }

    static func == (left: CacheEntryName, right: CacheEntryName) -> Bool {
        left.memoryKey == right.memoryKey && left.division == right.division
            && left.forcedExtension.map(ByteText.init) == right.forcedExtension.map(ByteText.init)
    }
}

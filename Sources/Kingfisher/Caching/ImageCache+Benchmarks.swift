/// Lookups as loads make them, for benchmarks.
extension ImageCache {
    /// A key with its hash, as a load passes it through its lookups.
    @_spi(Benchmarks) public struct CarriedKey: Sendable {
        let entry: CacheEntryName

        /// Makes the key as a load does.
        ///
        /// - Parameters:
        ///   - key: The key of the source.
        ///   - options: The options of the load.
        public init(_ key: String, options: KingfisherParsedOptionsInfo) {
            entry = CacheEntryName(key: key, options: options)
        }
    }

    /// Looks up an image in memory as a load does.
    ///
    /// - Parameters:
    ///   - key: The key with its hash.
    ///   - options: The options of the load.
    /// - Returns: The image, or nil.
    @_spi(Benchmarks) public func imageInMemory(
        _ key: CarriedKey,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        imageInMemory(key: key.entry.computedKey, entry: key.entry, options)
    }
}

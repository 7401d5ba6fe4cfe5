/// What benchmarks measure and nobody else can call: a lookup as loads make it.
extension ImageCache {
    /// What a load carries through its lookups: a key and its hash.
    @_spi(Benchmarks) public struct CarriedKey: Sendable {
        let entry: CacheEntryName

        /// Makes what a load of the key makes.
        public init(_ key: String, options: KingfisherParsedOptionsInfo) {
            entry = CacheEntryName(key: key, options: options)
        }
    }

    /// Looks an image up in memory as a load does.
    @_spi(Benchmarks) public func imageInMemory(
        _ key: CarriedKey,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        imageInMemory(key: key.entry.computedKey, entry: key.entry, options)
    }
}

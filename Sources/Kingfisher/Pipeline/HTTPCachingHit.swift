extension HTTPCachingStage {
    /// An image that the caches gave.
    struct Hit {
        let result: RetrieveImageResult
        /// Of the image, or of the original that it was made of.
        let metadata: EntryMetadata?
        /// The image before the image modifier.
        let image: KFCrossPlatformImage

        /// Whether the image was made of the cached original just now.
        var isMadeOfOriginal: Bool { result.cacheType == .none }
    }

    /// A hit with its record, and what may be done with it.
    struct Judged {
        let hit: Hit
        let metadata: EntryMetadata
        let record: HTTPRecord
        let policy: HTTPFreshnessPolicy
    }
}

extension RetrieveImageResult {
    /// The same image, and how it stands to its server.
    func with(_ freshness: HTTPFreshness, metrics: NetworkMetrics? = nil) -> RetrieveImageResult {
        var result = RetrieveImageResult(
            image: image,
            cacheType: cacheType,
            source: source,
            originalSource: originalSource,
            data: data,
            metrics: metrics ?? self.metrics
        )
        result.timings = timings
        result.freshness = freshness
        return result
    }
}

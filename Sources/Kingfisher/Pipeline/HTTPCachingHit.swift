extension HTTPCachingStage {
    /// An image found in the caches.
    struct Hit {
        var result: RetrieveImageResult
        /// The metadata of the image, or of the original it was made from.
        let metadata: EntryMetadata?
        /// The image before the image modifier.
        let image: KFCrossPlatformImage

        /// Whether the image was just made from the cached original.
        var isMadeOfOriginal: Bool { result.cacheType == .none }
    }

    /// A hit with its record, and how it may be used.
    struct Judged {
        let hit: Hit
        let metadata: EntryMetadata
        let record: HTTPRecord
        let policy: HTTPFreshnessPolicy
    }
}

extension RetrieveImageResult {
    /// The same image with its freshness.
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
        result.response = response
        return result
    }
}

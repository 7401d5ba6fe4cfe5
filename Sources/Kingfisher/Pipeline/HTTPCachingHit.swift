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
    ///
    /// A class, because a load keeps it in several places while the server is asked.
    final class Judged: Sendable {
        let hit: Hit
        let metadata: EntryMetadata
        let record: HTTPRecord
        let policy: HTTPFreshnessPolicy

        init(
            _ hit: Hit,
            _ metadata: EntryMetadata,
            _ record: HTTPRecord,
            _ policy: HTTPFreshnessPolicy
        ) {
            self.hit = hit
            self.metadata = metadata
            self.record = record
            self.policy = policy
        }
    }
}

extension RetrieveImageResult {
    /// The same image with its freshness.
    func with(_ freshness: HTTPFreshness, metrics: NetworkMetrics? = nil) -> RetrieveImageResult {
        var result = self
        result.metrics = metrics ?? self.metrics
        result.freshness = freshness
        return result
    }
}

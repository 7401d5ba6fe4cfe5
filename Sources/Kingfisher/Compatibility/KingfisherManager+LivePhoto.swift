import Foundation

extension KingfisherManager {
    /// Retrieves the files of a live photo: those parts that are not on disk yet are loaded, all at
    /// once, and stored there as they are.
    ///
    /// Nothing is retried, and no progress is reported. What becomes of the files is up to the
    /// caller: nothing on Linux shows live photos.
    ///
    /// - Parameters:
    ///   - source: The parts.
    ///   - options: Over the manager's ``defaultOptions``: caches, downloader, modifier, priority,
    ///     disk expiration, `forceRefresh` and `onlyFromCache` are used. A processor other than the
    ///     default one traps in debug builds and is ignored otherwise.
    ///   - progressBlock: Kept for code that gives it; not called.
    ///   - referenceTaskIdentifierChecker: Whether the photo is still wanted; asked before missing
    ///     parts are loaded.
    /// - Returns: The files in the order of the parts.
    /// - Throws: ``KingfisherError``; `emptySource` without parts, `livePhotoTaskCancelled` when the task is cancelled,
    ///   `missingLivePhotoResourceOnDisk` when a part is not on disk and must not be loaded.
    public func retrieveLivePhoto(
        with source: LivePhotoSource,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        referenceTaskIdentifierChecker: (@Sendable () -> Bool)? = nil
    ) async throws -> LivePhotoLoadingInfoResult {
        var parsed = KingfisherParsedOptionsInfo(resolved(options))
        assert(
            parsed.processor.identifier.isEmpty,
            "a live photo is stored as it comes: \(parsed.processor.identifier) would not be used"
        )
        parsed.processor = LivePhotoImageProcessor.default
        guard let first = source.resources.first?.dataSource else {
            throw KingfisherError.imageSettingError(reason: .emptySource)
        }
        let request = request(first, parsed, isStillWanted: referenceTaskIdentifierChecker)
        return try await LivePhotoLoad(source: source, request: request).run()
    }
}

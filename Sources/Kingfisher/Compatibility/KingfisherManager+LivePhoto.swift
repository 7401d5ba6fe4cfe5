import Foundation

extension KingfisherManager {
    /// Retrieves the files of a live photo.
    ///
    /// Resources that are not on disk are loaded concurrently and stored unmodified. Failed loads
    /// are not retried. The files are meant for the caller's own use: nothing on Linux displays
    /// live photos.
    ///
    /// - Parameters:
    ///   - source: The resources.
    ///   - options: Override the manager's ``defaultOptions``. Caches, downloader, request
    ///     modifier, priority, disk expiration, `forceRefresh` and `onlyFromCache` are used. A
    ///     processor other than the default one traps in debug builds and is ignored otherwise.
    ///   - progressBlock: Never called; exists for compatibility.
    ///   - referenceTaskIdentifierChecker: Returns whether the live photo is still needed; called
    ///     before missing resources are loaded.
    /// - Returns: The files in the order of the resources.
    /// - Throws: ``KingfisherError``; `emptySource` without resources, `livePhotoTaskCancelled` if
    ///   the task is cancelled, `missingLivePhotoResourceOnDisk` if a resource is not on disk and
    ///   must not be loaded.
    public func retrieveLivePhoto(
        with source: LivePhotoSource,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        referenceTaskIdentifierChecker: (@Sendable () -> Bool)? = nil
    ) async throws -> LivePhotoLoadingInfoResult {
        var parsed = KingfisherParsedOptionsInfo(resolved(options))
        assert(
            parsed.processor.identifier.isEmpty,
            "live photos are stored unprocessed; remove \(parsed.processor.identifier)"
        )
        parsed.processor = LivePhotoImageProcessor.default
        guard let first = source.resources.first?.dataSource else {
            throw KingfisherError.imageSettingError(reason: .emptySource)
        }
        let request = request(first, parsed, isStillWanted: referenceTaskIdentifierChecker)
        return try await LivePhotoLoad(source: source, request: request).run()
    }
}

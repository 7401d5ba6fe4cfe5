extension KingfisherManager {
    /// Retrieves the image of a resource and reports to a closure.
    ///
    /// - Returns: See the flavour for a source.
    @discardableResult
    public func retrieveImage(
        with resource: any Resource,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        retrieveImage(
            with: resource.convertToSource(),
            options: options,
            progressBlock: progressBlock,
            downloadTaskUpdated: downloadTaskUpdated,
            completionHandler: completionHandler
        )
    }

    /// Retrieves an image and reports to a closure.
    ///
    /// - Parameters:
    ///   - source: Where it comes from.
    ///   - options: What to do, over the manager's ``defaultOptions``.
    ///   - progressBlock: Called on the main queue while the download has a known length.
    ///   - downloadTaskUpdated: Called with the handle that replaces the first one.
    ///   - completionHandler: Called exactly once, on the options' callback queue; for a memory hit
    ///     on the main queue before this method returns.
    /// - Returns: The handle to cancel with; nil when a cache answers or nothing has to be loaded.
    @discardableResult
    public func retrieveImage(
        with source: Source,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        downloadTaskUpdated: DownloadTaskUpdatedBlock? = nil,
        completionHandler: (@Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void)?
    ) -> DownloadTask? {
        let parsed = KingfisherParsedOptionsInfo(resolved(options))
        let progress = progressBlock.map { ProgressReporter($0) }
        let task = start(
            request(source, parsed),
            events: LoadEvents(
                progress: progress?.report,
                taskUpdated: downloadTaskUpdated
            ),
            completion: { completionHandler?($0) }
        )
        return task.isInitialized || parsed.asyncCacheTypeCheck ? task : nil
    }
}

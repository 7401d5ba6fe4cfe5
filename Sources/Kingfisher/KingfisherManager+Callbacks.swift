extension KingfisherManager {
    /// Retrieves the image of a resource and passes the result to a closure.
    ///
    /// See
    /// ``retrieveImage(with:options:progressBlock:downloadTaskUpdated:completionHandler:)-(Source,_,_,_,_)``.
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

    /// Retrieves an image and passes the result to a closure.
    ///
    /// - Parameters:
    ///   - source: The source of the image.
    ///   - options: Options for this load; they override the manager's ``defaultOptions``.
    ///   - progressBlock: Called on the main queue while a download of known length runs.
    ///   - downloadTaskUpdated: Called with the new download task when a retry, an alternative
    ///     source or a fallback replaces the first one.
    ///   - completionHandler: Called exactly once, on the options' callback queue. For a memory hit
    ///     it is called on the main queue before this method returns.
    /// - Returns: The task to cancel the load with; nil if a cache has the image or there is
    ///   nothing to load.
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

@MainActor
extension KingfisherWrapper where Base: ImageDisplaying {
    /// Loads an image and shows it; an image in memory is shown before the call returns.
    ///
    /// The previous load is superseded: its completion receives `notCurrentSourceTask` and its
    /// image is not shown. Its download continues and is cached, unless its options contain
    /// `cancelWhenSuperseded`. Widgets of GTK decode the image to their size, unless the options
    /// contain a processor.
    ///
    /// - Parameters:
    ///   - source: The source of the image; nil shows the placeholder and fails with `emptySource`.
    ///   - placeholder: Shown during the load; nil clears the current image, unless the options
    ///     contain `keepCurrentImageWhileLoading`.
    ///   - options: Override the shared manager's default options.
    ///   - progressBlock: Called on the main queue while a download of known length runs.
    ///   - completionHandler: Called exactly once, on the main actor.
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        base.imageLoads.load(source, placeholder, options, progressBlock, completionHandler)
    }

    /// Loads a source and shows the image, without reporting progress.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        base.imageLoads.load(source, placeholder, options, nil, completionHandler)
    }

    /// Loads a resource and shows the image.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let source = resource?.convertToSource()
        return base.imageLoads.load(source, placeholder, options, progressBlock, completionHandler)
    }

    /// Loads a resource and shows the image, without reporting progress.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let source = resource?.convertToSource()
        return base.imageLoads.load(source, placeholder, options, nil, completionHandler)
    }

    /// Loads the image of a provider and shows the image.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let source = provider?.convertToSource()
        return base.imageLoads.load(source, placeholder, options, progressBlock, completionHandler)
    }

    /// Loads the image of a provider and shows the image, without reporting progress.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: Base.PlaceholderContent? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let source = provider?.convertToSource()
        return base.imageLoads.load(source, placeholder, options, nil, completionHandler)
    }

    /// The identifier of the current load; nil if there is none.
    public var taskIdentifier: Source.Identifier.Value? {
        base.imageLoads.loader.binding.identifier
    }

    /// Waits until there is no current load and the last completion handler has been called.
    ///
    /// Returns immediately if nothing is loading. Use it in tests, and before taking a screenshot.
    /// Cancelling the waiting task does not end the wait.
    public func waitUntilLoaded() async { await base.imageLoads.loader.waitUntilIdle() }

    /// Cancels the current load; its completion receives the cancellation error.
    public func cancelDownloadTask() { base.imageLoads.loader.cancel() }
}

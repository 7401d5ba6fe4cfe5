#if GTK
public import Kingfisher

/// Receives the result of a load, once, on the main actor.
public typealias ImageCompletion =
    @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

extension KingfisherWrapper where Base: GtkPictureProviding {
    /// Loads an image and shows it; an image in memory is shown in the same frame.
    ///
    /// Unless the options contain a processor, the image is decoded to the size of the view. The
    /// previous load is superseded: its completion receives `notCurrentSourceTask` and its image is
    /// not shown. Its download continues and is cached, unless its options contain
    /// `cancelWhenSuperseded`.
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
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        let manager = KingfisherManager.shared
        let options = manager.defaultOptions + (options ?? [])
        return base.controller.loader.load(
            source,
            placeholder: placeholder,
            options: KingfisherParsedOptionsInfo(options),
            by: manager,
            progress: progressBlock,
            completion: completionHandler
        )
    }

    /// Loads a source and shows the image, without reporting progress.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)`.
    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setImage(
            with: source,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads a resource, such as a URL, and shows the image.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)` for a source.
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Loads a resource and shows the image, without reporting progress.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)` for a source.
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads the image of a provider and shows it.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)` for a source.
    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setImage(
            with: provider?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// Loads the image of a provider and shows it, without reporting progress.
    ///
    /// See `setImage(with:placeholder:options:progressBlock:completionHandler:)` for a source.
    @discardableResult
    public func setImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setImage(
            with: provider,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Cancels the current load; its completion receives the cancellation error.
    public func cancelDownloadTask() { base.controller.loader.cancel() }

    /// The error of the last load; nil during a load, after a success, and after a cancellation.
    ///
    /// A failed view with ``LoadStart/whenVisible`` loads again when it is seen again, and when the
    /// network returns while it is seen.
    public var failure: KingfisherError? { base.controller.loader.failure?.error }

    /// Loads again if the last load has failed; its completion handler is not called again.
    public func retry() { base.controller.loader.retry() }

    /// The identifier of the current load; nil if there is none.
    public var taskIdentifier: Source.Identifier.Value? {
        base.controller.loader.binding.identifier
    }

    /// The indicator shown during loads.
    public var indicator: PictureIndicator {
        get { base.controller.indicator.kind }
        nonmutating set { base.controller.indicator.kind = newValue }
    }

    /// The sign over images; nil, the default, for none.
    ///
    /// ```swift
    /// view.kf.setImage(with: VideoFrameDataProvider(url: film))
    /// view.kf.badge = .video()
    /// ```
    public var badge: PictureBadge? {
        get { base.controller.status.badge }
        nonmutating set { base.controller.status.badge = newValue }
    }

    /// The current image; setting it shows an image without a load.
    public var image: KFCrossPlatformImage? {
        get { base.controller.content.image }
        nonmutating set { base.controller.loader.setImage(newValue) }
    }

    /// The size to which images are decoded.
    public var decodeSize: DecodeSize {
        get { base.controller.sizing.decodeSize }
        nonmutating set { base.controller.sizing.decodeSize = newValue }
    }

    /// When loads start; unless it is set, ``LoadStart/whenVisible`` in the rows of an
    /// ``ImageRowFactory``, otherwise ``LoadStart/immediately``.
    public var loadStart: LoadStart {
        get { base.controller.loader.loadsWhenVisible ? .whenVisible : .immediately }
        nonmutating set { base.controller.loader.loadStart = newValue }
    }
}
#endif

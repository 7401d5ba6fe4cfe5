#if GTK
public import Kingfisher

/// Gets the result of a load, once, on the main actor.
public typealias ImageCompletion =
    @MainActor @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void

extension KingfisherWrapper where Base: GtkPictureProviding {
    /// Loads an image and shows it; an image in memory is shown in the same frame.
    ///
    /// Unless the options name a processor, the image is decoded to the size that the view shows it
    /// in. A load that was under way is superseded: its completion gets `notCurrentSourceTask`, its
    /// image is not shown, its download goes on into the cache.
    ///
    /// - Parameters:
    ///   - source: Where the image comes from; nil shows the placeholder and gives `emptySource`.
    ///   - placeholder: Shown meanwhile; nil clears what is shown, unless
    ///     `keepCurrentImageWhileLoading` is among the options.
    ///   - options: Over the shared manager's default options.
    ///   - progressBlock: Called on the main queue while the download has a known length.
    ///   - completionHandler: Called exactly once, on the main actor.
    /// - Returns: The handle to cancel with; nil when a cache answers.
    @discardableResult
    public func setImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        base.controller.load(
            source,
            placeholder: placeholder,
            options: options,
            progress: progressBlock,
            completion: completionHandler
        )
    }

    /// The same, without reporting progress.
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

    /// Loads a resource, for example a URL, and shows it; see the flavour for a source.
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

    /// The same, without reporting progress.
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

    /// Loads a provider's bytes and shows them; see the flavour for a source.
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

    /// The same, without reporting progress.
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

    /// Cancels the load in force; its completion gets the cancel error.
    public func cancelDownloadTask() {
        base.controller.cancelLoad()
    }

    /// The identifier of the load in force; nil when none has begun.
    public var taskIdentifier: Source.Identifier.Value? { base.controller.taskIdentifier }

    /// What shows that an image is loading.
    public var indicator: PictureIndicator {
        get { base.controller.indicator }
        nonmutating set { base.controller.replaceIndicator(with: newValue) }
    }

    /// The image that is shown, without loading anything.
    public var image: KFCrossPlatformImage? {
        get { base.controller.image }
        nonmutating set { base.controller.setOwnImage(newValue) }
    }

    /// In which size images are decoded.
    public var decodeSize: DecodeSize {
        get { base.controller.sizing.decodeSize }
        nonmutating set { base.controller.sizing.decodeSize = newValue }
    }

    /// When loads begin.
    public var loadStart: LoadStart {
        get { base.controller.sizing.loadsWhenVisible ? .whenVisible : .immediately }
        nonmutating set { base.controller.sizing.loadsWhenVisible = newValue == .whenVisible }
    }
}

extension PictureController {
    /// Loads by the shared manager, with a call's options over the manager's.
    func load(
        _ source: Source?,
        placeholder: KFCrossPlatformImage?,
        options: KingfisherOptionsInfo?,
        progress: DownloadProgressBlock?,
        completion: ImageCompletion?
    ) -> DownloadTask? {
        let manager = KingfisherManager.shared
        return load(
            source,
            placeholder: placeholder,
            options: KingfisherParsedOptionsInfo(manager.defaultOptions + (options ?? [])),
            by: manager,
            progress: progress,
            completion: completion
        )
    }

    /// Shows an image that the caller has, at once and in its own size.
    func setOwnImage(_ image: KFCrossPlatformImage?) {
        keepingPicture {
            forgetShownLoad()
            takeOver()
            setImage(image)
        }
    }
}
#endif

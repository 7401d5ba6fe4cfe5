#if GTK
public import Kingfisher

extension KingfisherWrapper where Base: GtkButtonProviding {
    private var controller: ButtonController { .of(base.gtkButton) }

    /// Loads an image and shows it in the button.
    ///
    /// - Parameters:
    ///   - source: Where the image comes from; nil shows the placeholder and gives `emptySource`.
    ///   - placeholder: Shown meanwhile.
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
        controller.image.kf.setImage(
            with: source,
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
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

    /// Loads a resource, for example a URL; see the flavour for a source.
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

    /// Loads the image that is shown while the button is pressed or checked.
    ///
    /// Independent of the other image; until it is there, the other one is shown.
    @discardableResult
    public func setAlternateImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        controller.alternate.kf.setImage(
            with: source,
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// The same, without reporting progress.
    @discardableResult
    public func setAlternateImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: source,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Loads the alternate image from a resource; see the flavour for a source.
    @discardableResult
    public func setAlternateImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: resource?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// The same, without reporting progress.
    @discardableResult
    public func setAlternateImage(
        with resource: (any Resource)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: resource,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Cancels the load of the image.
    public func cancelImageDownloadTask() { controller.image.kf.cancelDownloadTask() }

    /// Cancels the load of the alternate image.
    public func cancelAlternateImageDownloadTask() {
        controller.alternate.kf.cancelDownloadTask()
    }

    /// The image of the button.
    public var image: KFCrossPlatformImage? { controller.image.image }

    /// The image while it is pressed or checked.
    public var alternateImage: KFCrossPlatformImage? { controller.alternate.image }

    /// The identifier of the image's load in force; nil when none has begun.
    public var taskIdentifier: Source.Identifier.Value? { controller.image.kf.taskIdentifier }

    /// The identifier of the alternate image's load in force; nil when none has begun.
    public var alternateTaskIdentifier: Source.Identifier.Value? {
        controller.alternate.kf.taskIdentifier
    }
}
#endif

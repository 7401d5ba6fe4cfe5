#if GTK
public import Kingfisher

extension KingfisherWrapper where Base: GtkButtonProviding {
    private var controller: ButtonController { base.buttonController }

    /// Loads the image that is shown while the button is pressed or checked.
    ///
    /// Independent of the other image, which is loaded with `setImage(with:)` and shown until this
    /// one is there.
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

    /// Loads the alternate image from a provider's bytes; see the flavour for a source.
    @discardableResult
    public func setAlternateImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock?,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: provider?.convertToSource(),
            placeholder: placeholder,
            options: options,
            progressBlock: progressBlock,
            completionHandler: completionHandler
        )
    }

    /// The same, without reporting progress.
    @discardableResult
    public func setAlternateImage(
        with provider: (any ImageDataProvider)?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setAlternateImage(
            with: provider,
            placeholder: placeholder,
            options: options,
            progressBlock: nil,
            completionHandler: completionHandler
        )
    }

    /// Cancels the load of the image.
    public func cancelImageDownloadTask() { cancelDownloadTask() }

    /// Cancels the load of the alternate image.
    public func cancelAlternateImageDownloadTask() {
        controller.alternate.kf.cancelDownloadTask()
    }

    /// The image while it is pressed or checked.
    public var alternateImage: KFCrossPlatformImage? { controller.alternate.image }

    /// The identifier of the alternate image's load in force; nil when none has begun.
    public var alternateTaskIdentifier: Source.Identifier.Value? {
        controller.alternate.kf.taskIdentifier
    }
}
#endif

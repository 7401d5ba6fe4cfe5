#if GTK
public import Kingfisher

extension KingfisherWrapper where Base: GtkButtonProviding {
    private var controller: ButtonController { base.buttonController }

    /// Loads the image that is shown while the button is pressed or checked.
    ///
    /// Independent of the button's image, which is loaded with `setImage(with:)` and is shown until
    /// this one is loaded.
    ///
    /// - Parameters:
    ///   - source: The source of the image; nil shows the placeholder and fails with `emptySource`.
    ///   - placeholder: Shown during the load; nil clears the alternate image, unless the options
    ///     contain `keepCurrentImageWhileLoading`.
    ///   - options: Override the shared manager's default options.
    ///   - progressBlock: Called on the main queue while a download of known length runs.
    ///   - completionHandler: Called exactly once, on the main actor.
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
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

    /// Loads an alternate image without reporting progress.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// Loads the alternate image from a resource.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)` for a
    /// source.
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

    /// Loads an alternate image without reporting progress.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// Loads the alternate image from a provider.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)` for a
    /// source.
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

    /// Loads an alternate image without reporting progress.
    ///
    /// See `setAlternateImage(with:placeholder:options:progressBlock:completionHandler:)`.
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

    /// Cancels the load of the button's image.
    public func cancelImageDownloadTask() { cancelDownloadTask() }

    /// Cancels the load of the alternate image.
    public func cancelAlternateImageDownloadTask() {
        controller.alternate.kf.cancelDownloadTask()
    }

    /// The image shown while the button is pressed or checked.
    public var alternateImage: KFCrossPlatformImage? { controller.alternate.image }

    /// The identifier of the current load of the alternate image; nil if there is none.
    public var alternateTaskIdentifier: Source.Identifier.Value? {
        controller.alternate.kf.taskIdentifier
    }
}
#endif

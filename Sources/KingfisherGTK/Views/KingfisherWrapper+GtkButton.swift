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

    /// Loads the image that is shown while the button is in a state.
    ///
    /// Independent of the button's other images. Of several states that are true, the first of
    /// ``ButtonImageState`` that has an image counts; the alternate image stands for `pressed` and
    /// `checked` where these have none.
    ///
    /// - Parameters:
    ///   - source: The source of the image; nil removes the state's image.
    ///   - state: The state.
    ///   - placeholder: Shown during the load.
    ///   - options: Override the shared manager's default options.
    ///   - completionHandler: Called exactly once, on the main actor.
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
    @discardableResult
    public func setImage(
        with source: Source?,
        for state: ButtonImageState,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        controller.view(for: state).kf.setImage(
            with: source,
            placeholder: placeholder,
            options: options,
            completionHandler: completionHandler
        )
    }

    /// Loads the image of a state from a resource, such as a URL; see the method for a source.
    @discardableResult
    public func setImage(
        with resource: (any Resource)?,
        for state: ButtonImageState,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ImageCompletion? = nil
    ) -> DownloadTask? {
        setImage(
            with: resource?.convertToSource(),
            for: state,
            placeholder: placeholder,
            options: options,
            completionHandler: completionHandler
        )
    }

    /// The image of a state; nil if it has none.
    public func image(for state: ButtonImageState) -> KFCrossPlatformImage? {
        controller.view(for: state).image
    }

    /// Cancels the load of a state's image.
    public func cancelImageDownloadTask(for state: ButtonImageState) {
        controller.view(for: state).kf.cancelDownloadTask()
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

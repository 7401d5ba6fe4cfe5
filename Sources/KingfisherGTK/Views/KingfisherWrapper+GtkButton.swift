#if GTK
public import Kingfisher

extension KingfisherWrapper where Base: GtkButtonProviding {
    private var controller: ButtonController { base.buttonController }

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

    /// The image shown while the button is pressed or checked.
    public var alternateImage: KFCrossPlatformImage? { controller.alternate.image }
}
#endif

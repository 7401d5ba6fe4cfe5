#if GTK
public import Kingfisher

extension KF.Builder {
    /// Loads the image into a view or a button; the placeholder must be an image.
    ///
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
    @discardableResult
    public func set(to target: some GtkPictureProviding) -> DownloadTask? {
        load(in: target.controller)
    }

    /// Loads the image that a button shows while it is pressed or checked.
    ///
    /// The placeholder must be an image.
    ///
    /// - Returns: The task to cancel the load with; nil if a cache has the image.
    @discardableResult
    public func setAlternative(to button: some GtkButtonProviding) -> DownloadTask? {
        load(in: button.buttonController.alternate.controller)
    }

    private func load(in controller: PictureController) -> DownloadTask? {
        let order = order
        return controller.loader.load(
            order.source,
            placeholder: order.placeholder,
            options: order.options,
            by: .shared,
            progress: order.progress,
            completion: order.completion
        )
    }
}
#endif

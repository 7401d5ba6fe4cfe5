#if GTK
public import CKFGTKHeaders
public import Kingfisher

/// The load of a ``KFImage``, for frameworks that observe it.
public enum KFImageLoadState {
    /// No load has begun, or it was cancelled.
    case idle
    /// The image is loading; `progress` is 0…1, and nil while the length is unknown.
    case loading(progress: Double?)
    /// The image was loaded.
    case loaded(KFCrossPlatformImage)
    /// The load has failed.
    case failed(KingfisherError)
}

extension KFImage {
    /// The state of the load.
    public var loadState: KFImageLoadState { state.loadState }

    /// Calls a closure after each change of ``loadState``.
    public func onLoadStateChange(_ body: ((KFImageLoadState) -> Void)?) -> KFImage {
        state.onLoadStateChange = body
        return self
    }

    /// Shows a widget over the image during the load, and reports the progress of the download.
    ///
    /// - Parameters:
    ///   - widget: For example a GtkLevelBar.
    ///   - progress: Called with 0…1 when a load begins, and while a download of known length runs.
    /// - Returns: The receiver.
    public func placeholder(
        _ widget: UnsafeMutablePointer<GtkWidget>,
        progress: @escaping (Double) -> Void
    ) -> KFImage {
        state.placeholderProgress = progress
        return placeholder(widget)
    }

    /// Lowers the priority of the load while the widget is not on screen.
    ///
    /// A priority of the options stays as it is.
    public func reducePriorityOnDisappear(_ flag: Bool = true) -> KFImage {
        state.reducesPriority = flag
        return self
    }
}
#endif

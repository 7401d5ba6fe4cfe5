#if GTK
public import CKFGTKHeaders
public import Foundation
public import Kingfisher

/// A view that loads its image when it appears on screen, configured by chained methods.
///
/// ```swift
/// let image = KFImage(url)
///     .placeholder(gtk_spinner_new())
///     .fade(duration: 0.25)
///     .resizable()
///     .onFailure { print($0) }
/// gtk_box_append(box, image.widget)
/// ```
///
/// A handle of a widget; the configuration belongs to the widget.
public final class KFImage: KFOptionSetter {
    let state: KFImageState
    private let reference: WidgetReference

    /// Makes a view for a source.
    ///
    /// - Precondition: GTK is initialised.
    public init(source: Source?) {
        state = KFImageState(source: source)
        reference = WidgetReference(retaining: state.overlay)
    }

    /// Makes a view for a URL.
    public convenience init(_ url: URL?) {
        self.init(source: url?.convertToSource())
    }

    /// The widget, a GtkOverlay.
    public var widget: UnsafeMutablePointer<GtkWidget> { state.overlay.asWidget }

    /// The size of the image's file in logical pixels, for layouts that ask for it; nil before the
    /// image is loaded.
    ///
    /// For an image that was decoded to the size of the view it is that of the decoded image first.
    /// Reading it then reads the size of the file; ``onNaturalSize(_:)`` reports it.
    public var naturalSize: CGSize? { state.view.controller.loader.naturalSize }

    /// The size in which to lay the image out where a width and a height are proposed.
    ///
    /// - Parameters:
    ///   - width: In logical pixels; nil for a side that is not proposed.
    ///   - height: In logical pixels; nil for a side that is not proposed.
    /// - Returns: The natural size, or a smaller one with the same aspect ratio; nil before the image
    ///   is loaded.
    public func size(fitting width: Double?, _ height: Double?) -> CGSize? {
        naturalSize?.fitted(width: width.map { CGFloat($0) }, height: height.map { CGFloat($0) })
    }

    /// The image view inside the widget.
    public var view: ImageView { state.view }

    /// The options under construction.
    public var options: KingfisherParsedOptionsInfo {
        get { state.options }
        set { state.options = newValue }
    }

    /// Called with the error of a failed load.
    ///
    /// Not called for a load that ends with its widget, to which the closure belongs.
    public var onFailureDelegate: Delegate<KingfisherError, Void> { state.onFailure }

    /// Called with the result of a load.
    public var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { state.onSuccess }

    /// Called with received and expected bytes.
    public var onProgressDelegate: Delegate<(Int64, Int64), Void> { state.onProgress }
}

extension KFImage {
    /// Shows an image during the load.
    public func placeholder(_ image: KFCrossPlatformImage?) -> KFImage {
        state.placeholder = image
        return self
    }

    /// Shows a widget over the image during the load.
    public func placeholder(_ widget: UnsafeMutablePointer<GtkWidget>) -> KFImage {
        state.addOverlay(widget, for: .loading)
        return self
    }

    /// Shows a widget in place of the image after a failure.
    public func onFailureView(_ widget: UnsafeMutablePointer<GtkWidget>) -> KFImage {
        state.addOverlay(widget, for: .failed)
        return self
    }

    /// Shows a widget that explains a failure; made again for each failure.
    ///
    /// `error.failureReason` is a text for users; `localizedDescription` also advises developers.
    public func onFailureView(
        _ make: @escaping (KingfisherError) -> UnsafeMutablePointer<GtkWidget>
    ) -> KFImage {
        state.makeFailureView = make
        return self
    }

    /// Retries after a failure when the widget is clicked, or has the focus and Return or the space
    /// key is pressed.
    public func retryOnClick() -> KFImage {
        state.retryOnClick()
        return self
    }

    /// Retries after a failure when GIO's `GNetworkMonitor` reports that the network has returned.
    public func retryWhenOnline() -> KFImage {
        state.view.controller.loader.retriesWhenOnline = true
        return self
    }

    /// Retries if the last load has failed, for example from a button.
    public func retry() { state.retry() }

    /// Shows another source, for cells that are bound to one item after another.
    ///
    /// A running load is superseded, which is reported to `onFailure`. Nothing happens if the
    /// source is already shown or loading.
    public func bind(to source: Source?) { state.bind(to: source) }

    /// Shows another URL; see ``bind(to:)-(Source?)``.
    public func bind(to url: URL?) { state.bind(to: url?.convertToSource()) }

    /// Shows a BlurHash during the load.
    ///
    /// It applies to one source: call it before `bind(to:)` for the next one. An invalid hash shows
    /// nothing.
    ///
    /// - Parameters:
    ///   - hash: The characters of the hash.
    ///   - size: The size of the placeholder in pixels; only its aspect ratio is visible.
    /// - Returns: The receiver.
    public func blurHash(
        _ hash: String,
        size: CGSize = CGSize(width: 32, height: 32)
    ) -> KFImage {
        state.setPreview(KFCrossPlatformImage(blurHash: hash, size: size))
        return self
    }

    /// Shows a ThumbHash during the load; like ``blurHash(_:size:)`` it applies to one source.
    public func thumbHash(_ hash: Data) -> KFImage {
        state.setPreview(KFCrossPlatformImage(thumbHash: hash))
        return self
    }

    /// Shows the progress of the download in a bar at the lower edge.
    public func loadingProgress(_ isShown: Bool = true) -> KFImage {
        state.showsProgress = isShown
        return self
    }

    /// Shows a button over animations that pauses and resumes them.
    ///
    /// - Parameters:
    ///   - play: The button's name while the animation is paused, for tooltips and assistive
    ///     technology.
    ///   - pause: Its name while the animation plays.
    /// - Returns: This image.
    public func playButton(play: String = "Play", pause: String = "Pause") -> KFImage {
        state.addPlayButton(play: play, pause: pause)
        return self
    }

    /// Fades the image in, over `duration` seconds.
    public func fade(duration: TimeInterval) -> KFImage {
        loadTransition(.fade(duration))
    }

    /// Shows the image with a transition.
    public func loadTransition(_ transition: ImageTransition) -> KFImage {
        state.options.transition = transition
        return self
    }

    /// Lets the layout determine the size, rather than the image.
    public func resizable(_ fit: PictureFit = .contain) -> KFImage {
        state.view.hasNaturalSize = false
        state.view.fit = fit
        return self
    }

    /// Calls a closure with ``naturalSize`` when it is known for an image that was loaded, so that the
    /// layout can be computed again.
    public func onNaturalSize(_ body: ((CGSize) -> Void)?) -> KFImage {
        state.onNaturalSize = body
        return self
    }

    /// Cancels the load when the widget leaves the screen; it starts again when the widget returns.
    public func cancelOnDisappear(_ flag: Bool = true) -> KFImage {
        state.cancelsOnDisappear = flag
        return self
    }

    /// Starts the load before the widget is on screen.
    public func startLoadingBeforeViewAppear(_ flag: Bool = true) -> KFImage {
        if flag { state.load() }
        return self
    }

    /// Keeps the current image until the next one is loaded.
    public func keepCurrentImageWhileLoading(_ enabled: Bool = true) -> KFImage {
        state.options.keepCurrentImageWhileLoading = enabled
        return self
    }

    /// Shows a sign over the image, such as `.video()` over the frame of a video.
    public func badge(_ badge: PictureBadge?) -> KFImage {
        state.view.kf.badge = badge
        return self
    }

    /// Sets the text that replaces the image for assistive technology.
    public func alternativeText(_ text: String?) -> KFImage {
        state.view.alternativeText = text
        return self
    }

    /// Configures the image view inside the widget.
    public func configure(_ body: (ImageView) -> Void) -> KFImage {
        body(state.view)
        return self
    }
}
#endif

#if GTK
public import CGTK
public import Foundation
public import Kingfisher

/// An image that loads itself when it comes on screen, set up by chained modifiers.
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
/// A handle around a widget; what it is set to belongs to the widget.
public final class KFImage: KFOptionSetter {
    let state: KFImageState
    private let reference: GObjectReference

    /// Makes an image of a source.
    ///
    /// - Precondition: GTK is initialised.
    public init(source: Source?) {
        state = KFImageState(source: source)
        reference = GObjectReference(retaining: state.overlay)
    }

    /// Makes an image of a URL.
    public convenience init(_ url: URL?) {
        self.init(source: url?.convertToSource())
    }

    isolated deinit {}

    /// The widget, a GtkOverlay.
    public var widget: UnsafeMutablePointer<GtkWidget> {
        state.overlay.assumingMemoryBound(to: GtkWidget.self)
    }

    /// The view inside.
    public var view: ImageView { state.view }

    /// The options under construction.
    public var options: KingfisherParsedOptionsInfo {
        get { state.options }
        set { state.options = newValue }
    }

    /// Called with the error of a failed load.
    public var onFailureDelegate: Delegate<KingfisherError, Void> { state.onFailure }

    /// Called with the result of a load.
    public var onSuccessDelegate: Delegate<RetrieveImageResult, Void> { state.onSuccess }

    /// Called with received and expected bytes.
    public var onProgressDelegate: Delegate<(Int64, Int64), Void> { state.onProgress }
}

extension KFImage {
    /// Shows an image while the picture is loading.
    public func placeholder(_ image: KFCrossPlatformImage?) -> KFImage {
        state.placeholder = image
        return self
    }

    /// Shows a widget over the picture while it is loading.
    public func placeholder(_ widget: UnsafeMutablePointer<GtkWidget>) -> KFImage {
        state.addOverlay(widget, for: .loading)
        return self
    }

    /// Shows a widget in the picture's place when it could not be loaded.
    public func onFailureView(_ widget: UnsafeMutablePointer<GtkWidget>) -> KFImage {
        state.addOverlay(widget, for: .failed)
        return self
    }

    /// Shows a widget that says why the picture could not be loaded, made anew for each failure.
    public func onFailureView(
        _ make: @escaping (KingfisherError) -> UnsafeMutablePointer<GtkWidget>
    ) -> KFImage {
        state.makeFailureView = make
        return self
    }

    /// Loads again when the widget is clicked after a failure.
    public func retryOnClick() -> KFImage {
        _ = state.retriesOnClick
        return self
    }

    /// Loads again after a failure when the network returns, by GIO's `GNetworkMonitor`.
    public func retryWhenOnline() -> KFImage {
        NetworkReturn.shared.add(state)
        return self
    }

    /// Loads again if the last load has failed: for a button of your own.
    public func retry() { state.retry() }

    /// Shows another source from now on, for cells that are bound to one item after another.
    ///
    /// The load under way is superseded, which `onFailure` hears of. Nothing happens if it is the
    /// source that is shown or loading already.
    public func bind(to source: Source?) { state.bind(to: source) }

    /// Shows another URL from now on; see the overload for a source.
    public func bind(to url: URL?) { state.bind(to: url?.convertToSource()) }

    /// Shows a BlurHash while the picture is loading.
    ///
    /// It stands in for one source: call it before `bind(to:)` for the next. Of `size`, in pixels,
    /// only the ratio can be seen; an invalid hash shows nothing.
    public func blurHash(
        _ hash: String,
        size: CGSize = CGSize(width: 32, height: 32)
    ) -> KFImage {
        state.setPreview(KFCrossPlatformImage(blurHash: hash, size: size))
        return self
    }

    /// Shows a ThumbHash while the picture is loading; it stands in for one source, like
    /// ``blurHash(_:size:)``.
    public func thumbHash(_ hash: Data) -> KFImage {
        state.setPreview(KFCrossPlatformImage(thumbHash: hash))
        return self
    }

    /// Shows how much has arrived in a bar at the lower edge.
    public func loadingProgress(_ isShown: Bool = true) -> KFImage {
        state.showsProgress = isShown
        return self
    }

    /// Lets the picture cross-fade in, in seconds.
    public func fade(duration: TimeInterval) -> KFImage {
        loadTransition(.fade(duration))
    }

    /// Lets the picture appear by a transition.
    public func loadTransition(_ transition: ImageTransition) -> KFImage {
        state.options.transition = transition
        return self
    }

    /// Lets the layout decide the size, instead of the picture.
    public func resizable(_ fit: PictureFit = .contain) -> KFImage {
        state.view.hasNaturalSize = false
        state.view.fit = fit
        return self
    }

    /// Cancels the load when the widget leaves the screen; it begins again when it comes back.
    public func cancelOnDisappear(_ flag: Bool = true) -> KFImage {
        state.cancelsOnDisappear = flag
        return self
    }

    /// Begins to load before the widget is on screen.
    public func startLoadingBeforeViewAppear(_ flag: Bool = true) -> KFImage {
        if flag { state.load() }
        return self
    }

    /// Keeps what is shown until the next picture is there.
    public func keepCurrentImageWhileLoading(_ enabled: Bool = true) -> KFImage {
        state.options.keepCurrentImageWhileLoading = enabled
        return self
    }

    /// The text that stands for the picture where it cannot be seen.
    public func alternativeText(_ text: String?) -> KFImage {
        state.view.alternativeText = text
        return self
    }

    /// Changes the view inside.
    public func configure(_ body: (ImageView) -> Void) -> KFImage {
        body(state.view)
        return self
    }
}
#endif

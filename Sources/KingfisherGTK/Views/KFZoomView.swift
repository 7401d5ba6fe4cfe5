#if GTK
public import CKFGTKHeaders
public import Foundation
public import Kingfisher

/// A view of one image that can be enlarged up to eight pixels of the screen for each of its own.
///
/// It zooms by pinching, the wheel, a double click and keys (`+`, `-`, `0` for the whole image, `1`
/// for its own size), and moves by dragging, a touchpad and the arrow keys. The point under the
/// pointer stays in place. While the whole image is shown, the arrow keys are the program's, for example
/// for the next image.
///
/// The whole image is decoded to the size of the view. When the user pauses, the visible part of a
/// JPEG or PNG is decoded at the scale of the screen, so images of a hundred megapixels need no more
/// memory than small ones. Other formats are decoded as a whole for each part.
///
/// ```swift
/// let view = KFZoomView()
/// view.setImage(with: url)
/// gtk_window_set_child(window, view.widget)
/// ```
///
/// Its `kf` has the methods of every view: an indicator, a badge, a context menu, and the reason of a
/// failure with `retry()`. Animations play.
///
/// A handle: the image belongs to the widget.
public final class KFZoomView: GtkPictureProviding {
    let state: ZoomState
    private let reference: WidgetReference

    /// Makes an empty view.
    ///
    /// - Precondition: GTK is initialised.
    public init() {
        state = ZoomState()
        reference = WidgetReference(retaining: state.picture)
    }

    /// The GtkPicture.
    public var gtkPicture: OpaquePointer { OpaquePointer(state.picture) }

    /// The widget, a GtkPicture.
    public var widget: UnsafeMutablePointer<GtkWidget> { state.picture.asWidget }

    /// Loads an image and shows it as a whole; without a placeholder the previous image stays until
    /// then.
    ///
    /// - Parameters:
    ///   - source: The source of the image; nil shows the placeholder and fails with `emptySource`.
    ///   - placeholder: Shown during the load.
    ///   - options: Override the shared manager's default options; a processor is ignored.
    ///   - completionHandler: Called exactly once, with the size of the image in pixels or a
    ///     `KingfisherError`.
    public func setImage(
        with source: Source?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ((Result<CGSize, any Error>) -> Void)? = nil
    ) {
        state.load(source, placeholder: placeholder, options ?? [], by: .shared, completionHandler)
    }

    /// Loads an image from a URL; see the method for a source.
    public func setImage(
        with url: URL?,
        placeholder: KFCrossPlatformImage? = nil,
        options: KingfisherOptionsInfo? = nil,
        completionHandler: ((Result<CGSize, any Error>) -> Void)? = nil
    ) {
        setImage(
            with: url?.convertToSource(),
            placeholder: placeholder,
            options: options,
            completionHandler: completionHandler
        )
    }

    /// Pixels of the screen per pixel of the image.
    ///
    /// Setting it keeps the centre in place. The least value is that of the whole image.
    public var zoom: Double {
        get { Double(state.geometry.scale * state.geometry.density) }
        set {
            let scale = CGFloat(newValue) / state.geometry.density
            state.change { $0.zoom(to: scale, at: CGPoint(x: CGFloat.nan, y: .nan)) }
        }
    }

    /// Shows the whole image.
    public func zoomToFit() { state.change { $0.fit() } }

    /// Called after the zoom has changed, also with the size of the view or for another image.
    public var onZoomChange: ((Double) -> Void)? {
        get { state.onZoomChange }
        set { state.onZoomChange = newValue }
    }

    /// The text that replaces the image for assistive technology.
    public var alternativeText: String? {
        get { gtk_picture_get_alternative_text(gtkPicture).map { String(cString: $0) } }
        set { gtk_picture_set_alternative_text(gtkPicture, newValue) }
    }
}
#endif

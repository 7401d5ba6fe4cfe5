#if GTK
import CKFGTKHeaders
import CKFGTK
import Foundation
import Kingfisher

/// The size to which the images of a view are decoded, read from its layout.
final class ViewSizing {
    /// Reads the density of the screen that a widget is on; tests replace it.
    static var readDensity: (UnsafeMutableRawPointer) -> Double = kf_widget_get_density

    /// Whether images cover the view rather than fit inside.
    var covers = false
    /// The common size of a list's cells, so that it is known before the layout.
    var fixedBox: CGSize?
    /// The size to decode to if the size of the view stays unknown; nil for that of the file.
    var usualSize: CGSize?
    private let canvas: PictureCanvas
    private var isWaiting = false

    init(_ canvas: PictureCanvas) { self.canvas = canvas }

    private var widget: UnsafeMutablePointer<GtkWidget> { canvas.picture.asWidget }

    /// The screen's pixels per logical pixel.
    var density: Double { Self.readDensity(canvas.picture) }

    /// The size to decode to; nil before the view was laid out.
    var box: DecodeBox? {
        // The layout may change a requested size of a view that expands.
        if let fixed = fixedBox ?? (expands ? nil : sizeRequest) {
            return DecodeBox(size: fixed, covers: covers)
        }
        guard gtk_widget_get_width(widget) > 0, gtk_widget_get_height(widget) > 0 else {
            return nil
        }
        return boxInLayout
    }

    /// The size to decode to if the view were shown now; without ``usualSize`` nil outside of windows.
    var likelyBox: DecodeBox? {
        box ?? boxInLayout ?? usualSize.map { DecodeBox(size: $0, covers: false) }
    }

    /// The box in pixels of the screen.
    var boxInPixels: CGSize? {
        let scale = CGFloat(density)
        return box.map { CGSize(width: $0.size.width * scale, height: $0.size.height * scale) }
    }

    /// The size requested by the caller; nil unless both sides are requested.
    var sizeRequest: CGSize? {
        var width: Int32 = 0
        var height: Int32 = 0
        gtk_widget_get_size_request(widget, &width, &height)
        guard width > 0, height > 0 else { return nil }
        return CGSize(width: Int(width), height: Int(height))
    }

    private var expands: Bool {
        gtk_widget_compute_expand(widget, GTK_ORIENTATION_HORIZONTAL) != 0
            || gtk_widget_compute_expand(widget, GTK_ORIENTATION_VERTICAL) != 0
    }

    /// The size that the layout assigns independently of the image, or otherwise the available
    /// space.
    private var boxInLayout: DecodeBox? {
        var isWidthOwn = false
        var isHeightOwn = false
        var width = kf_widget_get_space(canvas.picture, false, &isWidthOwn)
        var height = kf_widget_get_space(canvas.picture, true, &isHeightOwn)
        if !canvas.hasNaturalSize, gtk_widget_get_width(widget) > 0 {
            // The image does not affect the layout, so the view's size is independent of it.
            (width, isWidthOwn) = (gtk_widget_get_width(widget), true)
            (height, isHeightOwn) = (gtk_widget_get_height(widget), true)
        }
        guard width > 0, height > 0 else { return nil }
        return DecodeBox(
            size: CGSize(width: DecodeBox.step(width), height: DecodeBox.step(height)),
            // Only a side that is independent of the image can be covered.
            covers: covers && isWidthOwn && isHeightOwn
        )
    }

    // MARK: Changes

    /// Calls `body` once the size has not changed for a moment, for example after a window was
    /// resized; no effect while it waits for that.
    func onceStill(_ body: @escaping () -> Void) {
        guard !isWaiting else { return }
        isWaiting = true
        var last = layout
        Task { [weak self] in
            while true {
                await ViewLoader.rest(ViewLoader.patience)
                guard let self, canvas.isAlive else { return }
                if layout == last { break }
                last = layout
            }
            self?.isWaiting = false
            body()
        }
    }

    /// Values that change while a window is resized: the size of the view, and the space around it.
    private var layout: [CGFloat] {
        let width = CGFloat(gtk_widget_get_width(widget))
        let height = CGFloat(gtk_widget_get_height(widget))
        return [width, height, box?.size.width ?? 0, box?.size.height ?? 0]
    }
}
#endif

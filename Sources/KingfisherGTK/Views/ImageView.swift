#if GTK
public import CKFGTKHeaders
import CKFGTK
import Foundation
public import Kingfisher

/// How an image is fitted to its view.
public enum PictureFit: Sendable {
    /// Fits inside the view, keeping the aspect ratio.
    case contain
    /// Covers the view, keeping the aspect ratio; the excess is clipped.
    case cover
    /// Stretched to the view.
    case fill
    /// Fits inside the view, keeping the aspect ratio; never enlarged.
    case scaleDown
}

extension KFFit {
    init(_ fit: PictureFit) {
        self =
            switch fit {
            case .contain: KF_FIT_CONTAIN
            case .cover: KF_FIT_COVER
            case .fill: KF_FIT_FILL
            case .scaleDown: KF_FIT_SCALE_DOWN
            }
    }
}

/// A view with one image, loaded with `view.kf.setImage(with:)`.
///
/// A handle of a GtkPicture: use ``widget`` wherever a GtkWidget is expected. Loads belong to the
/// GtkPicture, so they continue after the handle is released while the widget is in a window.
///
/// ```swift
/// let view = ImageView()
/// view.fit = .cover
/// view.kf.setImage(with: url)
/// gtk_box_append(box, view.widget)
/// ```
open class ImageView: GtkPictureProviding {
    /// The GtkPicture.
    public let gtkPicture: OpaquePointer
    private let reference: WidgetReference

    /// Makes a view with a new GtkPicture.
    ///
    /// - Precondition: GTK is initialised: call it after `gtk_init` or in the application's
    ///   `activate`.
    public init() {
        precondition(gtk_is_initialized() != 0, "GTK is not initialised yet")
        guard let widget = gtk_picture_new() else { preconditionFailure("GTK has no memory") }
        reference = WidgetReference(retaining: UnsafeMutableRawPointer(widget))
        gtkPicture = OpaquePointer(widget)
        kf_picture_set_fill(UnsafeMutableRawPointer(widget))
        gtk_picture_set_can_shrink(gtkPicture, 1)
        fit = .contain
    }

    /// Attaches to an existing GtkPicture, whose properties are not changed.
    public init(picture: OpaquePointer) {
        reference = WidgetReference(retaining: UnsafeMutableRawPointer(picture))
        gtkPicture = picture
    }

    /// The GtkPicture as a GtkWidget.
    public var widget: UnsafeMutablePointer<GtkWidget> {
        UnsafeMutableRawPointer(gtkPicture).asWidget
    }

    /// The GdkPaintable shown by the view; other widgets can show it too.
    public var paintable: OpaquePointer { OpaquePointer(controller.canvas.paintable.address) }

    /// The current image; set it to show an image without a load.
    public var image: KFCrossPlatformImage? {
        get { controller.content.image }
        set { controller.loader.setImage(newValue) }
    }

    /// How images are fitted to the view; ``PictureFit/contain`` by default.
    public var fit: PictureFit {
        get {
            switch controller.canvas.fit {
            case KF_FIT_COVER: .cover
            case KF_FIT_FILL: .fill
            case KF_FIT_SCALE_DOWN: .scaleDown
            default: .contain
            }
        }
        set {
            controller.canvas.fit = KFFit(newValue)
            controller.sizing.covers = newValue == .cover || newValue == .fill
        }
    }

    /// Whether the view's natural size is that of the image; true by default.
    ///
    /// If false, only the layout determines the size, and a new image causes no layout. Recommended
    /// for cells of lists.
    public var hasNaturalSize: Bool {
        get { controller.canvas.hasNaturalSize }
        set { controller.canvas.hasNaturalSize = newValue }
    }

    /// The text that replaces the image for assistive technology, and names its cell in a list.
    ///
    /// After a failed load its reason is the description.
    public var alternativeText: String? {
        get { gtk_picture_get_alternative_text(gtkPicture).map { String(cString: $0) } }
        set { gtk_picture_set_alternative_text(gtkPicture, newValue) }
    }

    /// Requests a minimum size.
    ///
    /// - Parameters:
    ///   - width: In logical pixels; −1 leaves the width to the layout.
    ///   - height: In logical pixels; −1 leaves the height to the layout.
    public func setSizeRequest(width: Int, height: Int) {
        gtk_widget_set_size_request(
            widget,
            Int32(clamping: max(-1, width)),
            Int32(clamping: max(-1, height))
        )
    }

    /// Requests a minimum size; a side that is not a number is left to the layout.
    func setSizeRequest(_ size: CGSize) {
        let sides = [size.width, size.height].map { side in
            // Larger than any screen, and safe to add in GTK's layout.
            side.isNaN ? -1 : Int(min(max(side, -1), 65_535))
        }
        setSizeRequest(width: sides[0], height: sides[1])
    }

    /// The requested size; nil unless both sides are requested.
    var sizeRequest: CGSize? { controller.sizing.sizeRequest }
}
#endif

#if GTK
public import CGTK
import CKFGTK
import Foundation
public import Kingfisher

/// How an image lies in its view.
public enum PictureFit: Sendable {
    /// Inside, ratio kept.
    case contain
    /// Over the whole area, ratio kept, what stands out cut off.
    case cover
    /// Stretched.
    case fill
    /// Inside, ratio kept, never enlarged.
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
/// A handle around a GtkPicture: put ``widget`` wherever a GtkWidget can go. What is loaded belongs
/// to the GtkPicture, so that it goes on when the handle is let go while the widget is in a window.
open class ImageView: GtkPictureProviding {
    /// The GtkPicture.
    public let gtkPicture: OpaquePointer
    private let reference: GObjectReference

    /// Makes a picture of its own.
    ///
    /// - Precondition: GTK is initialised: the call is made after `gtk_init` or inside the
    ///   application's `activate`.
    public init() {
        precondition(gtk_is_initialized() != 0, "GTK is not initialised yet")
        guard let widget = gtk_picture_new() else { preconditionFailure("GTK has no memory") }
        reference = GObjectReference(retaining: UnsafeMutableRawPointer(widget))
        gtkPicture = OpaquePointer(widget)
        kf_picture_set_fill(UnsafeMutableRawPointer(widget))
        gtk_picture_set_can_shrink(gtkPicture, 1)
        fit = .contain
    }

    /// Attaches to a GtkPicture that is there already; its properties stay as they are.
    public init(picture: OpaquePointer) {
        reference = GObjectReference(retaining: UnsafeMutableRawPointer(picture))
        gtkPicture = picture
    }

    // GTK's objects are for the main thread, and the last use of a handle can be anywhere.
    isolated deinit {}

    /// The GtkPicture as a GtkWidget.
    public var widget: UnsafeMutablePointer<GtkWidget> {
        UnsafeMutableRawPointer(gtkPicture).assumingMemoryBound(to: GtkWidget.self)
    }

    /// The GdkPaintable that the picture shows; anything else that takes one can show it too.
    public var paintable: OpaquePointer { OpaquePointer(controller.canvas.paintable.address) }

    /// The image that is shown; set it to show one without loading.
    public var image: KFCrossPlatformImage? {
        get { controller.image }
        set { controller.setOwnImage(newValue) }
    }

    /// How images lie in the view; ``PictureFit/contain`` unless set.
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

    /// Whether the image's size is the view's natural one; true unless set.
    ///
    /// Without it the layout alone decides the size, and showing another image lays nothing out
    /// again: the better choice for cells of lists.
    public var hasNaturalSize: Bool {
        get { controller.canvas.hasNaturalSize }
        set { controller.canvas.hasNaturalSize = newValue }
    }

    /// The text that stands for the image where it cannot be seen.
    public var alternativeText: String? {
        get { gtk_picture_get_alternative_text(gtkPicture).map { String(cString: $0) } }
        set { gtk_picture_set_alternative_text(gtkPicture, newValue) }
    }

    /// Asks for at least this many logical pixels; −1 leaves a side to the layout.
    public func setSizeRequest(width: Int, height: Int) {
        gtk_widget_set_size_request(widget, Int32(clamping: width), Int32(clamping: height))
    }

    /// The size that was asked for; nil unless both sides were.
    var sizeRequest: CGSize? { controller.sizeRequest }
}
#endif

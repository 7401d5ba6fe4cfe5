#if GTK
import CKFGTK
public import Foundation
public import Kingfisher

/// A GdkPaintable that loads its image, for widgets other than GtkPicture: GtkImage, AdwAvatar, the
/// child of a menu button, the icon of a drag.
///
/// ```swift
/// let image = PaintableImage(size: CGSize(width: 48, height: 48), fit: .cover)
/// image.show(in: avatar, property: "custom-image")
/// image.kf.setImage(with: url)
/// ```
///
/// A handle: loads belong to the GdkPaintable, and so to the widgets that show it. The image
/// appears without a transition. Animations play while one of the widgets is visible that
/// ``show(in:property:onlyLoaded:)`` was called with, and images are decoded for the densest of their
/// screens. If the paintable has a size and the options of a load contain no processor, the image is
/// decoded to that size.
public final class PaintableImage: KingfisherCompatible, ImageDisplaying {
    let state: PaintableState
    private let reference: WidgetReference
    private let address: UnsafeMutableRawPointer

    /// Makes an empty paintable.
    ///
    /// - Parameters:
    ///   - size: In logical pixels: images are decoded to this size, and widgets lay the paintable
    ///     out in it whatever the image. Nil keeps the size of the image.
    ///   - density: The screen's pixels per logical pixel, until a widget shows the image.
    ///   - fit: How images are fitted to the area that the widget provides.
    public init(size: CGSize? = nil, density: Double = 1, fit: PictureFit = .contain) {
        MainLoop.attach()
        guard let made = kf_paintable_new() else { preconditionFailure("GObject has no memory") }
        reference = WidgetReference(adopting: made)
        address = made
        state = PaintableState(made, size: size, density: density, fit: fit)
    }

    /// The GdkPaintable.
    public var paintable: OpaquePointer { OpaquePointer(address) }

    /// The loads of the image, which end with the GdkPaintable.
    public var imageLoads: ImageLoads<KFCrossPlatformImage> { ImageLoads(state.loader) }

    /// Shows the image in an object's property.
    ///
    /// - Parameters:
    ///   - object: A GObject, for example a GtkImage.
    ///   - property: A property of type GdkPaintable.
    ///   - onlyLoaded: Whether the property is null while there is no image, and after a failure
    ///     without a failure image. An AdwAvatar then shows the initials of its text.
    /// - Precondition: The object has that property.
    public func show(
        in object: UnsafeMutableRawPointer,
        property: String = "paintable",
        onlyLoaded: Bool = false
    ) {
        precondition(
            kf_object_set_paintable(object, property, onlyLoaded ? nil : address),
            "the object has no property '\(property)' that takes a GdkPaintable"
        )
        state.show(in: object, property, onlyLoaded: onlyLoaded)
        state.follow(object)
    }
}

extension KingfisherWrapper where Base: PaintableImage {
    /// The current image; set it to show an image without a load.
    public var image: KFCrossPlatformImage? {
        get { base.state.image }
        nonmutating set { base.state.loader.setImage(newValue) }
    }
}
#endif

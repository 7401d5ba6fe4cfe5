#if GTK
public import Kingfisher

/// An object that images can be set on: what has a picture, or a button.
///
/// Conform to ``GtkPictureProviding`` or ``GtkButtonProviding``, which conform to this.
public protocol GtkImageSettable: KingfisherCompatible {
    /// The GtkPicture that images are shown in.
    var imagePicture: OpaquePointer { get }
}

/// An object that shows its image in a GtkPicture.
///
/// One line gives a picture class of any GTK binding the `.kf` methods:
/// ```swift
/// extension Picture: @retroactive KingfisherCompatible, GtkPictureProviding {
///     public var gtkPicture: OpaquePointer { pointer }
/// }
/// ```
public protocol GtkPictureProviding: GtkImageSettable {
    /// The GtkPicture; it must live at least as long as the object.
    var gtkPicture: OpaquePointer { get }
}

/// A GtkPicture that came as a pointer.
public final class GtkPictureReference: GtkPictureProviding {
    /// The GtkPicture, not retained.
    public let gtkPicture: OpaquePointer

    init(_ gtkPicture: OpaquePointer) {
        self.gtkPicture = gtkPicture
    }
}

/// The `.kf` namespace of a GtkPicture that belongs to somebody else.
///
/// What is loaded hangs on the GtkPicture itself, so neither the namespace nor anything else has
/// to be kept.
///
/// - Parameter picture: A GtkPicture, alive.
/// - Returns: The namespace.
public func kf(_ picture: OpaquePointer) -> KingfisherWrapper<GtkPictureReference> {
    KingfisherWrapper(GtkPictureReference(picture))
}

extension GtkPictureProviding {
    /// The GtkPicture itself.
    public var imagePicture: OpaquePointer { gtkPicture }
}

extension GtkImageSettable {
    var controller: PictureController { .of(UnsafeMutableRawPointer(imagePicture)) }
}
#endif

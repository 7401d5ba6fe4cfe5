#if GTK
public import Kingfisher

/// An object that shows its image in a GtkPicture.
///
/// One line gives a picture class of any GTK binding the `.kf` methods:
/// ```swift
/// extension Picture: @retroactive KingfisherCompatible, GtkPictureProviding {
///     public var gtkPicture: OpaquePointer { pointer }
/// }
/// ```
public protocol GtkPictureProviding: KingfisherCompatible {
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
    var controller: PictureController { .of(UnsafeMutableRawPointer(gtkPicture)) }
}
#endif

#if GTK
public import Kingfisher

/// An object that shows its image in a GtkPicture, possibly that of a button.
///
/// Conformance in one line adds the `.kf` methods to the class for a GtkPicture in any GTK binding:
/// ```swift
/// extension Picture: @retroactive GtkPictureProviding, @retroactive ImageDisplaying {
///     public var gtkPicture: OpaquePointer? { opaquePointer }
/// }
/// ```
/// Use ``GtkButtonProviding`` for buttons.
public protocol GtkPictureProviding: ImageDisplaying
where PlaceholderContent == KFCrossPlatformImage {
    /// The pointer type of the binding.
    associatedtype PicturePointer: GtkObjectPointer

    /// The GtkPicture; it must live at least as long as the object.
    var gtkPicture: PicturePointer { get }
}

/// A pointer to a GTK object, as used by bindings: `OpaquePointer`, `UnsafeMutableRawPointer`,
/// `UnsafeMutablePointer`, and their optionals.
public protocol GtkObjectPointer {
    /// The address; nil for a nil pointer.
    var gtkAddress: UnsafeMutableRawPointer? { get }
}

extension OpaquePointer: GtkObjectPointer {
    /// The address.
    public nonisolated var gtkAddress: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(self) }
}

extension UnsafeMutableRawPointer: GtkObjectPointer {
    /// The address.
    public nonisolated var gtkAddress: UnsafeMutableRawPointer? { self }
}

extension UnsafeMutablePointer: GtkObjectPointer {
    /// The address.
    public nonisolated var gtkAddress: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(self) }
}

extension Optional: GtkObjectPointer where Wrapped: GtkObjectPointer {
    /// The address; nil for a nil pointer.
    public var gtkAddress: UnsafeMutableRawPointer? { self?.gtkAddress }
}

/// A GtkPicture given as a pointer.
///
/// ```swift
/// GtkPictureReference(picture).kf.setImage(with: url)
/// ```
public final class GtkPictureReference: GtkPictureProviding {
    /// The GtkPicture, not retained.
    public let gtkPicture: OpaquePointer

    init(_ gtkPicture: OpaquePointer) {
        self.gtkPicture = gtkPicture
    }
}

/// The `.kf` namespace of a GtkPicture that the caller owns.
///
/// Loads are attached to the GtkPicture itself, so neither the namespace nor any other object has
/// to be retained.
///
/// - Parameter picture: A GtkPicture that has not been finalised.
/// - Returns: The namespace.
public func kf(_ picture: OpaquePointer) -> KingfisherWrapper<GtkPictureReference> {
    KingfisherWrapper(GtkPictureReference(picture))
}

extension GtkPictureProviding {
    /// The namespace of this library's methods.
    ///
    /// The setter ignores its value; it exists so that `picture.kf.property = …` compiles.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }

    /// The loads of the image, which end with the GtkPicture.
    public var imageLoads: ImageLoads<KFCrossPlatformImage> { ImageLoads(controller.loader) }

    /// The controller of the GtkPicture.
    ///
    /// - Precondition: The pointer is not nil.
    var controller: PictureController {
        guard let picture = gtkPicture.gtkAddress else {
            preconditionFailure("gtkPicture is nil: set images once the object has its GtkPicture")
        }
        return .of(picture)
    }
}

extension GtkPictureProviding where Self: KingfisherCompatible {
    /// The namespace of this library's methods, for types that conform to both protocols.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}
#endif

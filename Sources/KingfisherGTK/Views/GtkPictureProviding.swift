#if GTK
public import Kingfisher

/// An object that shows its image in a GtkPicture, or in a button's.
///
/// One line gives a picture class of any GTK binding the `.kf` methods:
/// ```swift
/// extension Picture: @retroactive GtkPictureProviding {
///     public var gtkPicture: OpaquePointer? { opaquePointer }
/// }
/// ```
/// For buttons there is ``GtkButtonProviding``.
public protocol GtkPictureProviding: AnyObject {
    /// The kind of pointer that the binding has.
    associatedtype PicturePointer: GtkObjectPointer

    /// The GtkPicture; it must live at least as long as the object.
    var gtkPicture: PicturePointer { get }
}

/// A pointer to an object of GTK's, as bindings have them: `OpaquePointer`, `UnsafeMutableRawPointer`,
/// `UnsafeMutablePointer`, and each of them as an optional.
public protocol GtkObjectPointer {
    /// The address; nil for none.
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
    /// The address; nil for none.
    public var gtkAddress: UnsafeMutableRawPointer? { self?.gtkAddress }
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
    /// The namespace of this library's methods.
    ///
    /// The setter ignores its value; it exists so that `picture.kf.property = …` compiles.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }

    /// Everything that the GtkPicture shows through this library.
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
    /// The namespace of this library's methods, where a type has it by both protocols.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        set {}
    }
}
#endif

#if GTK
import CGTK
public import Kingfisher

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// The image as a GdkTexture over the same memory, for clipboards, notifications, cursors, and
    /// whatever else takes one.
    ///
    /// It takes less than a microsecond; the pixels live as long as the texture. May be called on
    /// any thread.
    ///
    /// - Returns: A reference that the caller owns, to be given back with `g_object_unref`; nil for
    ///   an image without pixels.
    nonisolated public func makeTexture() -> OpaquePointer? {
        guard let texture = base.texture else { return nil }
        g_object_ref(texture.address)
        return OpaquePointer(texture.address)
    }
}
#endif

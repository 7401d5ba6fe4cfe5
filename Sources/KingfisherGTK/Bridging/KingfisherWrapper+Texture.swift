#if GTK
import CKFGTKHeaders
public import Kingfisher

extension KingfisherWrapper where Base: KFCrossPlatformImage {
    /// Returns the image as a GdkTexture that shares its memory, for clipboards, notifications,
    /// cursors and other uses.
    ///
    /// This takes less than a microsecond; the texture retains the pixels. Callable on any thread.
    ///
    /// - Returns: A reference owned by the caller, who must release it with `g_object_unref`; nil
    ///   for an image without pixels.
    nonisolated public func makeTexture() -> OpaquePointer? {
        guard let texture = base.texture else { return nil }
        g_object_ref(texture.address)
        return OpaquePointer(texture.address)
    }
}
#endif

#if GTK
import CGTK
import Kingfisher
import Pixels

extension KFCrossPlatformImage {
    /// The image as a GdkTexture over the same memory; nil for an image without pixels.
    ///
    /// All who show the image at the same time get the same one. It takes less than a microsecond
    /// whatever the size, and the pixels live as long as the texture. May be called on any thread.
    nonisolated var texture: GObjectReference? { textureSlot?.take() }

    /// Makes the texture ahead, for whoever shows the image first.
    ///
    /// May be called on any thread.
    nonisolated func prepareTexture() { textureSlot?.prepare() }

    nonisolated var textureSlot: TextureSlot? {
        drawable { bitmap.map(TextureSlot.init(of:)) }
    }
}

extension Bitmap {
    nonisolated func makeTexture() -> GObjectReference? {
        let keeper = Unmanaged.passRetained(storage).toOpaque()
        guard
            let bytes = g_bytes_new_with_free_func(
                storage.base,
                gsize(byteCount),
                { keeper in
                    if let keeper { Unmanaged<PixelStorage>.fromOpaque(keeper).release() }
                },
                keeper
            )
        else { return nil }
        defer { g_bytes_unref(bytes) }
        // For opaque pixels both formats mean the same, and GTK's software renderer paints the
        // straight one in half the time.
        let format =
            isOpaque ? GDK_MEMORY_R8G8B8A8 : GDK_MEMORY_R8G8B8A8_PREMULTIPLIED
        return gdk_memory_texture_new(
            Int32(width),
            Int32(height),
            format,
            bytes,
            gsize(bytesPerRow)
        ).map { GObjectReference(adopting: UnsafeMutableRawPointer($0)) }
    }
}
#endif

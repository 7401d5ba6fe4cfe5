#if GTK
import CGTK
import Kingfisher
import Pixels

extension KFCrossPlatformImage {
    /// The image as a GdkTexture that shares its memory; nil for an image without pixels.
    ///
    /// All views that show the image at the same time share one texture. Making it takes less than
    /// a microsecond regardless of the size; it retains the pixels. Callable on any thread.
    nonisolated var texture: GObjectReference? { textureSlot?.take() }

    /// Makes the texture in advance, for the first view that shows the image.
    ///
    /// Callable on any thread.
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
        // For opaque pixels both formats are equivalent, and GTK's software renderer paints the
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

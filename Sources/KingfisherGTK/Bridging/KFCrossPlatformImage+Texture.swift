#if GTK
import CKFGTKHeaders
import CKFGTK
import Kingfisher
import KFPixels
import Synchronization

extension KFCrossPlatformImage {
    /// The image as a GdkTexture; nil for an image without pixels.
    ///
    /// All views that show the image at the same time share one texture. Callable on any thread.
    nonisolated var texture: GObjectReference? {
        drawable { bitmap.map(TextureSlot.init(of:)) }?.take()
    }
}

/// The renderer that textures are made for.
nonisolated enum TextureRenderer {
    private static let isSoftware = Atomic(false)

    /// Whether windows are painted by cairo rather than by a graphics card.
    ///
    /// GTK 4.8 converts all pixels of a texture every time cairo paints it, which takes ten times as
    /// long as painting them.
    static var isCairo: Bool {
        get { isSoftware.load(ordering: .relaxed) }
        set { isSoftware.store(newValue, ordering: .relaxed) }
    }

    /// Follows the renderer of a widget's window, which exists once the widget is mapped.
    @MainActor static func adapt(to widget: UnsafeMutableRawPointer) {
        isCairo = kf_widget_is_painted_by_cairo(widget)
    }
}

extension Bitmap {
    /// Makes a texture that shares the memory of the bitmap; for cairo, it has a converted copy, too.
    nonisolated func makeTexture(forCairo isForCairo: Bool) -> GObjectReference? {
        guard let texture = sharedTexture() else { return nil }
        if isForCairo {
            kf_texture_add_cairo_pixels(
                texture.address,
                storage.base.assumingMemoryBound(to: UInt8.self),
                bytesPerRow,
                isOpaque
            )
        }
        return texture
    }

    nonisolated private func sharedTexture() -> GObjectReference? {
        guard
            let bytes = g_bytes_new_with_free_func(
                storage.base,
                gsize(byteCount),
                PixelKeeper.release,
                Unmanaged.passRetained(storage).toOpaque()
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

/// Releases pixels that a texture no longer needs.
nonisolated private enum PixelKeeper {
    static var release: @convention(c) (UnsafeMutableRawPointer?) -> Void {
        { storage in
            if let storage { Unmanaged<PixelStorage>.fromOpaque(storage).release() }
        }
    }
}
#endif

#if GTK
import CKFGTKHeaders
import KFPixels
import Synchronization

/// Holds an image's texture weakly: it exists while a view shows it.
///
/// A renderer caches the uploaded data with the texture. A texture with the lifetime of its image
/// would therefore duplicate everything in the memory cache, in graphics memory or, with software
/// OpenGL, in main memory.
///
/// `@unchecked`: the weak reference is at a fixed address, and GObject locks it.
nonisolated final class TextureSlot: @unchecked Sendable {
    private let bitmap: Bitmap
    private let shown: UnsafeMutablePointer<GWeakRef>
    /// Ensures that concurrent callers make only one texture.
    private let making = Mutex(())

    init(of bitmap: Bitmap) {
        self.bitmap = bitmap
        shown = .allocate(capacity: 1)
        shown.initialize(to: GWeakRef())
        g_weak_ref_init(shown, nil)
    }

    deinit {
        g_weak_ref_clear(shown)
        shown.deallocate()
    }

    /// Returns the texture that exists already, or a new one; the caller retains it.
    func take() -> GObjectReference? {
        making.withLock { _ in
            if let shown = g_weak_ref_get(shown) { return GObjectReference(adopting: shown) }
            let texture = bitmap.makeTexture(forCairo: TextureRenderer.isCairo)
            g_weak_ref_set(shown, texture?.address)
            return texture
        }
    }
}
#endif

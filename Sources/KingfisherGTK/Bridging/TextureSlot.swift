#if GTK
import CGTK
import Pixels
import Synchronization

/// Holds an image's texture weakly: it exists while a view shows it.
///
/// A renderer caches the uploaded data with the texture. A texture with the lifetime of its image
/// would therefore duplicate everything in the memory cache, in graphics memory or, with software
/// OpenGL, in main memory. Making a new texture takes less than a microsecond.
///
/// `@unchecked`: the weak reference is at a fixed address, and `waiting` guards it.
nonisolated final class TextureSlot: @unchecked Sendable {
    private let make: @Sendable () -> GObjectReference?
    private let shown: UnsafeMutablePointer<GWeakRef>
    /// A texture made in advance, for the first view that shows the image.
    private let waiting = Mutex<GObjectReference?>(nil)

    init(of bitmap: Bitmap) {
        make = { bitmap.makeTexture() }
        shown = .allocate(capacity: 1)
        shown.initialize(to: GWeakRef())
        g_weak_ref_init(shown, nil)
    }

    deinit {
        g_weak_ref_clear(shown)
        shown.deallocate()
    }

    /// Makes the texture in advance.
    func prepare() {
        waiting.withLock { waiting in
            if waiting == nil { waiting = make() }
        }
    }

    /// The texture that was made in advance and not taken yet.
    var waitingAddress: UnsafeMutableRawPointer? { waiting.withLock { $0?.address } }

    /// Returns the texture that other views show already, or a new one; the caller retains it.
    func take() -> GObjectReference? {
        waiting.withLock { waiting in
            if let shown = g_weak_ref_get(shown) { return GObjectReference(adopting: shown) }
            let texture = waiting ?? make()
            waiting = nil
            g_weak_ref_set(shown, texture?.address)
            return texture
        }
    }
}
#endif

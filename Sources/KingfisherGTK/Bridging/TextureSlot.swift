#if GTK
import CGTK
import Pixels
import Synchronization

/// The place of an image's texture: one at a time, for as long as somebody shows it.
///
/// A renderer keeps what it has uploaded with the texture, so a texture that lived as long as its
/// image would hold everything in the memory cache a second time, on the graphics card or, where
/// OpenGL is computed by the processor, in memory. Another texture takes less than a microsecond.
///
/// `@unchecked`: the weak reference never moves, and `waiting` guards it.
nonisolated final class TextureSlot: @unchecked Sendable {
    private let make: @Sendable () -> GObjectReference?
    private let shown: UnsafeMutablePointer<GWeakRef>
    /// Made ahead, for whoever shows the image first.
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

    /// Makes the texture for the first who asks for it.
    func prepare() {
        waiting.withLock { waiting in
            if waiting == nil { waiting = make() }
        }
    }

    /// The texture that was made ahead and not asked for yet.
    var waitingAddress: UnsafeMutableRawPointer? { waiting.withLock { $0?.address } }

    /// The texture that others show already, or one for the caller, who keeps it.
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

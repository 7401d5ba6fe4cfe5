#if GTK
import CGTK

/// A strong reference to a GObject, released on deinit.
///
/// `@unchecked`: the pointer is constant and GObject counts references atomically. Which methods of
/// the object may be called on which thread depends on the object: textures are thread-safe,
/// widgets belong to the main thread.
nonisolated final class GObjectReference: @unchecked Sendable {
    let address: UnsafeMutableRawPointer

    /// Takes ownership of the caller's reference.
    init(adopting address: UnsafeMutableRawPointer) {
        self.address = address
    }

    /// Adds a reference; a floating reference is taken over.
    init(retaining address: UnsafeMutableRawPointer) {
        self.address = address
        g_object_ref_sink(address)
    }

    deinit { g_object_unref(address) }
}
#endif

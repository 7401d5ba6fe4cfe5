#if GTK
import CGTK

/// A reference to a GObject, given back with the last use.
///
/// `@unchecked`: the pointer never changes and GObject counts references atomically. What can be
/// done with the object on which thread is the object's matter: textures are for every thread,
/// widgets for the main one.
nonisolated final class GObjectReference: @unchecked Sendable {
    let address: UnsafeMutableRawPointer

    /// Takes over a reference that the caller owns.
    init(adopting address: UnsafeMutableRawPointer) {
        self.address = address
    }

    /// Adds a reference; a floating one is taken over.
    init(retaining address: UnsafeMutableRawPointer) {
        self.address = address
        g_object_ref_sink(address)
    }

    deinit { g_object_unref(address) }
}
#endif

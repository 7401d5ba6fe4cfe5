#if GTK
import CKFGTKHeaders
import CKFGTK

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

/// Runs code that may call the caller, who may destroy an object: it is retained until the end.
func keeping<Result>(_ object: UnsafeMutableRawPointer, _ body: () -> Result) -> Result {
    // Not `g_object_ref_sink`: a widget without a container stays floating afterwards.
    g_object_ref(object)
    defer { g_object_unref(object) }
    return body()
}

extension UnsafeMutableRawPointer {
    /// The object, a widget, as a GtkWidget.
    var asWidget: UnsafeMutablePointer<GtkWidget> { assumingMemoryBound(to: GtkWidget.self) }
}

/// A strong reference to an object of the main thread, such as a widget, which is released in the next
/// iteration of the main loop; that to a widget in another widget, which retains it, at once.
///
/// In `gtk_box_append(box, KFImage(url).widget)` Swift destroys the temporary before GTK is called.
/// The widget must live until the box retains it.
final class WidgetReference {
    private let widget: GObjectReference

    /// Adds a reference; a floating reference is taken over.
    init(retaining address: UnsafeMutableRawPointer) {
        widget = GObjectReference(retaining: address)
    }

    /// Takes ownership of the caller's reference.
    init(adopting address: UnsafeMutableRawPointer) {
        widget = GObjectReference(adopting: address)
    }

    // GTK's objects belong to the main thread, but the last reference may be released on any
    // thread.
    isolated deinit {
        if kf_widget_has_parent(widget.address) { return }
        let widget = Unmanaged.passRetained(widget).toOpaque()
        g_idle_add_full(
            G_PRIORITY_DEFAULT,
            { widget in
                if let widget { Unmanaged<GObjectReference>.fromOpaque(widget).release() }
                return 0
            },
            widget,
            nil
        )
    }
}
#endif

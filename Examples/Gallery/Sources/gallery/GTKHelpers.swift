import CGalleryGTK

typealias Widget = UnsafeMutablePointer<GtkWidget>

extension UnsafeMutablePointer where Pointee == GtkWidget {
    /// Casts the object to another class.
    func cast<T>(to type: T.Type = T.self) -> UnsafeMutablePointer<T> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }

    var opaque: OpaquePointer { OpaquePointer(self) }

    /// Sets all four margins in logical pixels.
    func margin(_ margin: Int32) -> Widget {
        gtk_widget_set_margin_top(self, margin)
        gtk_widget_set_margin_bottom(self, margin)
        gtk_widget_set_margin_start(self, margin)
        gtk_widget_set_margin_end(self, margin)
        return self
    }

    /// Makes the widget take all available space.
    func expanding() -> Widget {
        gtk_widget_set_hexpand(self, 1)
        gtk_widget_set_vexpand(self, 1)
        return self
    }
}

/// Unwraps a widget that GTK has just created.
func made(_ widget: Widget?) -> Widget {
    guard let widget else { preconditionFailure("GTK has no memory") }
    return widget
}

func box(_ orientation: GtkOrientation, spacing: Int32 = 8, _ children: [Widget]) -> Widget {
    let box = made(gtk_box_new(orientation, spacing))
    for child in children { gtk_box_append(box.cast(), child) }
    return box
}

/// As many children in each row as fit, with equal gaps.
func flow(spacing: Int32, _ children: [Widget]) -> Widget {
    let flow = made(gtk_flow_box_new())
    gtk_flow_box_set_selection_mode(flow.opaque, GTK_SELECTION_NONE)
    gtk_flow_box_set_max_children_per_line(flow.opaque, 24)
    gtk_flow_box_set_row_spacing(flow.opaque, guint(spacing))
    gtk_flow_box_set_column_spacing(flow.opaque, guint(spacing))
    gtk_widget_set_valign(flow, GTK_ALIGN_START)
    for child in children {
        gtk_widget_set_halign(child, GTK_ALIGN_CENTER)
        gtk_flow_box_insert(flow.opaque, child, -1)
    }
    return flow
}

func label(_ markup: String, wraps: Bool = false) -> Widget {
    let label = made(gtk_label_new(nil))
    gtk_label_set_markup(label.opaque, markup)
    gtk_label_set_xalign(label.opaque, 0)
    gtk_label_set_wrap(label.opaque, wraps ? 1 : 0)
    return label
}

/// A closure owned by GTK.
private final class Handler {
    let body: (UInt) -> Void
    init(_ body: @escaping (UInt) -> Void) { self.body = body }
}

/// Calls a closure at every emission of a signal, with the signal's first argument.
func connect(_ object: UnsafeMutableRawPointer, _ signal: String, _ body: @escaping (UInt) -> Void)
{
    let context = Unmanaged.passRetained(Handler(body)).toOpaque()
    g_signal_connect_data(
        object,
        signal,
        Trampoline.callback,
        context,
        { context, _ in
            if let context { Unmanaged<AnyObject>.fromOpaque(context).release() }
        },
        // Swapped: the context comes first. Newer headers hide the constant from Swift.
        GConnectFlags(rawValue: 2)
    )
}

nonisolated private enum Trampoline {
    static var callback: GCallback {
        let handler: @convention(c) (UnsafeMutableRawPointer, UInt) -> Void = { context, argument in
            let handler = Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue()
            MainActor.assumeIsolated { handler.body(argument) }
        }
        return unsafeBitCast(handler, to: GCallback.self)
    }
}

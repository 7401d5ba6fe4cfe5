import CGalleryGTK
import Kingfisher
import KingfisherGTK

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

/// A button with an icon, which has a name for tooltips and assistive technology.
func iconButton(_ icon: String, _ title: String, _ run: @escaping () -> Void) -> Widget {
    let button = made(gtk_button_new())
    setIcon(icon, title, of: button)
    // Keys stay with the image.
    gtk_widget_set_focus_on_click(button, 0)
    GtkSignal.connect(button, "clicked", run)
    return button
}

/// Sets the icon of a button, and its name.
func setIcon(_ icon: String, _ title: String, of button: Widget) {
    gtk_button_set_icon_name(button.cast(), icon)
    gtk_widget_set_tooltip_text(button, title)
    gallery_set_label(button, title)
}

/// The reason of a failed load, and that a click repeats it.
func failureView(_ error: KingfisherError) -> Widget {
    let icon = made(gtk_image_new_from_icon_name("view-refresh-symbolic"))
    let reason = label("", wraps: true)
    gtk_label_set_text(reason.opaque, error.failureReason ?? "")
    gtk_label_set_justify(reason.opaque, GTK_JUSTIFY_CENTER)
    let both = box(GTK_ORIENTATION_VERTICAL, [icon, reason])
    gtk_widget_set_valign(both, GTK_ALIGN_CENTER)
    return both.margin(6)
}

/// Lets keys activate a button wherever the focus is in its window.
func activate(_ button: Widget, by keys: String) {
    guard let controller = gtk_shortcut_controller_new(), let action = gtk_activate_action_get()
    else { return }
    gtk_shortcut_controller_set_scope(controller, GTK_SHORTCUT_SCOPE_GLOBAL)
    // The shortcut takes the reference.
    g_object_ref(UnsafeMutableRawPointer(action))
    gtk_shortcut_controller_add_shortcut(
        controller,
        gtk_shortcut_new(gtk_shortcut_trigger_parse_string(keys), action)
    )
    gtk_widget_add_controller(button, controller)
}

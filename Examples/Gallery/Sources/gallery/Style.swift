import CGalleryGTK

/// The look of the gallery's own widgets.
enum Style {
    private static let css = """
        .gallery-grid { padding: 4px; }
        .gallery-grid > child { padding: 6px; }
        .gallery-feed > row { padding: 0; }
        .gallery-picture { background: black; }
        .gallery-osd { border-radius: 12px; padding: 6px 12px; }
        .gallery-picture .osd { background: rgba(48, 48, 48, 0.85); color: white; }
        """

    /// Applies to all windows.
    static func install() {
        guard let display = gdk_display_get_default(), let provider = gtk_css_provider_new() else {
            return
        }
        gtk_css_provider_load_from_data(provider, css, -1)
        gtk_style_context_add_provider_for_display(
            display,
            OpaquePointer(provider),
            guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION)
        )
        g_object_unref(UnsafeMutableRawPointer(provider))
    }

    /// Chooses the dark variant of GTK's own theme.
    static func useDarkTheme() {
        guard let settings = gtk_settings_get_default() else { return }
        var value = GValue()
        // G_TYPE_BOOLEAN, a macro that Swift cannot import.
        g_value_init(&value, GType(5 << 2))
        g_value_set_boolean(&value, 1)
        g_object_set_property(
            UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self),
            "gtk-application-prefer-dark-theme",
            &value
        )
    }
}

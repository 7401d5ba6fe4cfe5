import CGalleryGTK

/// The look of the gallery's own widgets.
enum Style {
    private static let css = """
        .gallery-grid { padding: 4px; }
        .gallery-grid > child { padding: 6px; }
        .gallery-feed > row { padding: 0; }
        .gallery-grid > child:hover { background: alpha(currentColor, 0.1); }
        .gallery-rounded > child { border-radius: 12px; }
        .gallery-rounded > child > picture { border-radius: 8px; }
        .gallery-picture { background: shade(@theme_bg_color, 0.94); }
        .gallery-control { transition: opacity 300ms; }
        .gallery-faded:not(:focus-within) { opacity: 0; }
        .gallery-osd { border-radius: 12px; padding: 6px 12px; }
        .gallery-picture .osd { background: rgba(16, 16, 16, 0.8); color: white; }
        """

    /// Applies to all windows.
    static func install() {
        guard let display = gdk_display_get_default(), let provider = gtk_css_provider_new() else {
            return
        }
        gallery_load_style(provider, css)
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

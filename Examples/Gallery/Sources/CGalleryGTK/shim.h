#pragma once
#include <gtk/gtk.h>

// Names a widget for assistive technology; Swift cannot call functions with variable arguments.
static inline void gallery_set_label(GtkWidget *widget, const char *label) {
    gtk_accessible_update_property(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1
    );
}

// GTK 4.12 replaced the function that Debian 12 has.
static inline void gallery_load_style(GtkCssProvider *provider, const char *style) {
#if GTK_CHECK_VERSION(4, 12, 0)
    gtk_css_provider_load_from_string(provider, style);
#else
    gtk_css_provider_load_from_data(provider, style, -1);
#endif
}

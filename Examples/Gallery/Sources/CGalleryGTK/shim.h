#pragma once
#include <gtk/gtk.h>

// Names a widget for assistive technology; Swift cannot call functions with variable arguments.
static inline void gallery_set_label(GtkWidget *widget, const char *label) {
    gtk_accessible_update_property(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1
    );
}

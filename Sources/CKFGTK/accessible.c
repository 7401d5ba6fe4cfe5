#ifdef KF_GTK
#include "CKFGTK.h"

#include <gtk/gtk.h>

void kf_widget_set_busy(void *widget, bool is_busy) {
    gtk_accessible_update_state(
        GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_STATE_BUSY, (gboolean)is_busy, -1
    );
}

void kf_widget_set_failed(void *widget, bool has_failed) {
    gtk_accessible_update_state(
        GTK_ACCESSIBLE(widget),
        GTK_ACCESSIBLE_STATE_INVALID,
        has_failed ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE,
        -1
    );
}

void kf_widget_set_description(void *widget, const char *description) {
    if (description) {
        gtk_accessible_update_property(
            GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description, -1
        );
    } else {
        gtk_accessible_reset_property(
            GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION
        );
    }
}

void kf_list_cell_set_label(void *child, const char *label) {
    GtkWidget *cell = gtk_widget_get_parent(child);
    // Without a label, assistive technology reads the name of the cell's type.
    if (cell) kf_widget_set_label(cell, label ? label : "");
}

void kf_widget_set_label(void *widget, const char *label) {
    if (label) {
        gtk_accessible_update_property(
            GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1
        );
    } else {
        gtk_accessible_reset_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL);
    }
}
#endif

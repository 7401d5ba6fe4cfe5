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

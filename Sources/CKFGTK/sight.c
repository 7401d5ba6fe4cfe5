#ifdef KF_GTK
#include "CKFGTK.h"

#include <gtk/gtk.h>
#include <math.h>

// Intersects a widget with its clipping ancestors, from the inside out. Their transforms are
// assumed to be translations, as in scrolled windows, lists, stacks and revealers.
bool kf_widget_is_in_sight(void *widget) {
    if (!gtk_widget_get_mapped(widget)) return false;
    double left = 0, top = 0;
    double right = gtk_widget_get_width(widget), bottom = gtk_widget_get_height(widget);
    bool is_wide = right > 0, is_high = bottom > 0;
    GtkWidget *inner = widget;
    for (GtkWidget *outer = gtk_widget_get_parent(widget); outer;
         outer = gtk_widget_get_parent(outer)) {
        if (gtk_widget_get_overflow(outer) != GTK_OVERFLOW_HIDDEN) continue;
        graphene_point_t origin;
        if (!gtk_widget_compute_point(inner, outer, &GRAPHENE_POINT_INIT(0, 0), &origin)) {
            return false;
        }
        left = fmax(0, left + origin.x);
        top = fmax(0, top + origin.y);
        right = fmin(gtk_widget_get_width(outer), right + origin.x);
        bottom = fmin(gtk_widget_get_height(outer), bottom + origin.y);
        // A widget without a size is visible if its corner is.
        if (left > right || (left == right && is_wide)) return false;
        if (top > bottom || (top == bottom && is_high)) return false;
        inner = outer;
    }
    return true;
}
#endif

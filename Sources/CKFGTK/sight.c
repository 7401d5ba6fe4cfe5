#ifdef KF_GTK
#include "CKFGTK.h"

#include <gtk/gtk.h>
#include <math.h>

// Intersects a rectangle with the bounds of a widget.
static void clip(graphene_rect_t *rect, GtkWidget *widget) {
    double left = fmax(0, rect->origin.x), top = fmax(0, rect->origin.y);
    double right = fmin(gtk_widget_get_width(widget), rect->origin.x + rect->size.width);
    double bottom = fmin(gtk_widget_get_height(widget), rect->origin.y + rect->size.height);
    // Not graphene_rect_init, which would turn a negative size around.
    *rect = (graphene_rect_t){{left, top}, {right - left, bottom - top}};
}

bool kf_widget_has_parent(void *object) {
    return GTK_IS_WIDGET(object) && gtk_widget_get_parent(object);
}

// Intersects a widget with its clipping ancestors, from the inside out, up to its surface: a popover
// is not clipped by the widgets around its button.
bool kf_widget_is_in_sight(void *widget) {
    if (!gtk_widget_get_mapped(widget)) return false;
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    graphene_rect_t seen = GRAPHENE_RECT_INIT(0, 0, width, height);
    GtkWidget *inner = widget;
    for (GtkWidget *outer = widget; outer && !GTK_IS_NATIVE(outer);) {
        outer = gtk_widget_get_parent(outer);
        if (!outer || gtk_widget_get_overflow(outer) != GTK_OVERFLOW_HIDDEN) continue;
        graphene_matrix_t to_outer;
        if (!gtk_widget_compute_transform(inner, outer, &to_outer)) return false;
        graphene_matrix_transform_bounds(&to_outer, &seen, &seen);
        clip(&seen, outer);
        // A widget without a size is visible if its corner is.
        if (seen.size.width < 0 || (seen.size.width == 0 && width > 0)) return false;
        if (seen.size.height < 0 || (seen.size.height == 0 && height > 0)) return false;
        inner = outer;
    }
    return true;
}
#endif

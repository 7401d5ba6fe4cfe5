#ifdef KF_GTK
#include "CKFGTK.h"

#include <gtk/gtk.h>

// Whether a container gives its children their requested size along an axis, and the remaining
// space only to children that expand.
static bool asks_children(GtkWidget *parent, GtkOrientation axis) {
    if (GTK_IS_BOX(parent) && gtk_box_get_homogeneous(GTK_BOX(parent))) return false;
    if (GTK_IS_BOX(parent) || GTK_IS_CENTER_BOX(parent)) {
        return gtk_orientable_get_orientation(GTK_ORIENTABLE(parent)) == axis;
    }
    if (GTK_IS_LIST_BOX(parent)) return axis == GTK_ORIENTATION_VERTICAL;
    return GTK_IS_GRID(parent) || GTK_IS_FLOW_BOX(parent) || GTK_IS_FIXED(parent);
}

static int requested(GtkWidget *widget, GtkOrientation axis) {
    int width, height;
    gtk_widget_get_size_request(widget, &width, &height);
    return axis == GTK_ORIENTATION_HORIZONTAL ? width : height;
}

static int allocated(GtkWidget *widget, GtkOrientation axis) {
    return axis == GTK_ORIENTATION_HORIZONTAL ? gtk_widget_get_width(widget)
                                              : gtk_widget_get_height(widget);
}

// Whether the size along an axis is independent of the widget's request.
static bool is_imposed(GtkWidget *widget, GtkOrientation axis) {
    for (GtkWidget *parent; (parent = gtk_widget_get_parent(widget)); widget = parent) {
        GtkAlign align = axis == GTK_ORIENTATION_HORIZONTAL ? gtk_widget_get_halign(widget)
                                                            : gtk_widget_get_valign(widget);
        if (align != GTK_ALIGN_FILL) return requested(widget, axis) > 0;
        if (asks_children(parent, axis) && !gtk_widget_compute_expand(widget, axis)) {
            return requested(widget, axis) > 0;
        }
    }
    return GTK_IS_ROOT(widget);
}

int kf_widget_get_space(void *widget, bool is_vertical, bool *is_own) {
    GtkOrientation axis = is_vertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL;
    *is_own = is_imposed(widget, axis) && allocated(widget, axis) > 0;
    if (*is_own) return allocated(widget, axis);
    int space = 0;
    for (GtkWidget *outer = gtk_widget_get_parent(widget); outer;
         outer = gtk_widget_get_parent(outer)) {
        int length = allocated(outer, axis);
        if (length > 0 && (space == 0 || length < space) && is_imposed(outer, axis)) space = length;
    }
    return space;
}

#if !GTK_CHECK_VERSION(4, 12, 0)
// Present where the program runs with a newer GTK than it was built with.
extern double gdk_surface_get_scale(GdkSurface *surface) __attribute__((weak));
#endif

double kf_widget_get_density(void *widget) {
#if !GTK_CHECK_VERSION(4, 12, 0)
    if (!gdk_surface_get_scale) return gtk_widget_get_scale_factor(widget);
#endif
    GtkNative *native = gtk_widget_get_native(widget);
    GdkSurface *surface = native ? gtk_native_get_surface(native) : NULL;
    return surface ? gdk_surface_get_scale(surface) : gtk_widget_get_scale_factor(widget);
}
#endif

#ifdef KF_GTK
#include "paintable.h"

// A widget that is shown in place of a paintable's image while there is none: a child of the
// GtkPicture, which by itself has neither a layout of children nor paints them.

typedef GtkLayoutManager KFStandInLayout;
typedef GtkLayoutManagerClass KFStandInLayoutClass;

GType kf_stand_in_layout_get_type(void);
G_DEFINE_TYPE(KFStandInLayout, kf_stand_in_layout, GTK_TYPE_LAYOUT_MANAGER)

static void kf_stand_in_layout_init(KFStandInLayout *self) { (void)self; }

static GtkSizeRequestMode request_mode(GtkLayoutManager *manager, GtkWidget *picture) {
    (void)manager;
    return GTK_WIDGET_GET_CLASS(picture)->get_request_mode(picture);
}

static bool is_laid_out(GtkWidget *child) {
    return gtk_widget_should_layout(child) && !GTK_IS_NATIVE(child);
}

// The size of the GtkPicture, but at least that of the child.
static void measure(
    GtkLayoutManager *manager,
    GtkWidget *picture,
    GtkOrientation orientation,
    int for_size,
    int *minimum,
    int *natural,
    int *minimum_baseline,
    int *natural_baseline
) {
    (void)manager;
    GTK_WIDGET_GET_CLASS(picture)->measure(
        picture, orientation, for_size, minimum, natural, minimum_baseline, natural_baseline
    );
    for (GtkWidget *child = gtk_widget_get_first_child(picture); child;
         child = gtk_widget_get_next_sibling(child)) {
        if (!is_laid_out(child)) continue;
        int least, usual;
        gtk_widget_measure(child, orientation, -1, &least, &usual, NULL, NULL);
        *minimum = MAX(*minimum, least);
        *natural = MAX(MAX(*natural, usual), *minimum);
    }
}

static void allocate(
    GtkLayoutManager *manager,
    GtkWidget *picture,
    int width,
    int height,
    int baseline
) {
    (void)manager;
    for (GtkWidget *child = gtk_widget_get_first_child(picture); child;
         child = gtk_widget_get_next_sibling(child)) {
        if (is_laid_out(child)) gtk_widget_allocate(child, width, height, baseline, NULL);
    }
}

static void kf_stand_in_layout_class_init(KFStandInLayoutClass *class) {
    class->get_request_mode = request_mode;
    class->measure = measure;
    class->allocate = allocate;
}

// The caller may take the widget away.
static bool is_in_place(const KFPaintable *self) {
    return self->stand_in && gtk_widget_get_parent(self->stand_in) == self->picture;
}

void kf_update_stand_in(KFPaintable *self) {
    if (is_in_place(self)) gtk_widget_set_child_visible(self->stand_in, !self->current.texture);
}

void kf_paint_stand_in(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    if (!is_in_place(self) || self->current.texture) return;
    // The area may be that of an image that was released, in the centre.
    double x = (width - gtk_widget_get_width(self->picture)) / 2;
    double y = (height - gtk_widget_get_height(self->picture)) / 2;
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x, y));
    gtk_widget_snapshot_child(self->picture, self->stand_in, snapshot);
    gtk_snapshot_restore(snapshot);
}

static void remove_stand_in(KFPaintable *self) {
    if (is_in_place(self)) gtk_widget_unparent(self->stand_in);
    g_clear_object(&self->stand_in);
    self->picture = NULL;
}

void kf_paintable_set_stand_in(void *paintable, void *picture, void *widget) {
    KFPaintable *self = paintable;
    if (self->stand_in == widget) return;
    if (self->stand_in) {
        g_signal_handlers_disconnect_by_func(picture, remove_stand_in, self);
        remove_stand_in(self);
    }
    gtk_widget_set_layout_manager(
        picture, widget ? g_object_new(kf_stand_in_layout_get_type(), NULL) : NULL
    );
    if (!widget) return;
    self->stand_in = g_object_ref_sink(widget);
    self->picture = picture;
    gtk_widget_set_parent(widget, picture);
    // A widget must not be finalized while it has children.
    g_signal_connect_object(
        picture, "destroy", G_CALLBACK(remove_stand_in), self, G_CONNECT_SWAPPED
    );
    kf_update_stand_in(self);
}
#endif

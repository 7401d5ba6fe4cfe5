#ifdef KF_GTK
#include "paintable.h"

#include <math.h>

// A paintable around that of a view, which has the whole image in low resolution; with a part of it
// in the screen's, both placed relative to the area of the view.
typedef struct {
    GObject parent;
    KFPaintable *content;
    GdkTexture *detail;
    graphene_rect_t place;
    // In widths and heights of the image.
    graphene_rect_t part;
    KFPaintedSize on_paint;
    void *context;
} KFZoomable;

typedef GObjectClass KFZoomableClass;

static void implement_paintable(GdkPaintableInterface *interface);
GType kf_zoomable_get_type(void);
G_DEFINE_TYPE_WITH_CODE(
    KFZoomable,
    kf_zoomable,
    G_TYPE_OBJECT,
    G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, implement_paintable)
)

static void kf_zoomable_init(KFZoomable *self) { (void)self; }

static void dispose(GObject *object) {
    KFZoomable *self = (KFZoomable *)object;
    g_clear_object(&self->content);
    g_clear_object(&self->detail);
    self->on_paint = NULL;
    G_OBJECT_CLASS(kf_zoomable_parent_class)->dispose(object);
}

static void kf_zoomable_class_init(KFZoomableClass *class) { class->dispose = dispose; }

// Whether a rectangle covers the part of the image that is in an area.
static bool covers(
    const graphene_rect_t *rect,
    const graphene_rect_t *place,
    const graphene_rect_t *area
) {
    graphene_rect_t seen;
    if (!graphene_rect_intersection(place, area, &seen)) return true;
    // Rounding may lose a hundredth of a pixel.
    graphene_rect_inset(&seen, 0.01f, 0.01f);
    return graphene_rect_contains_rect(rect, &seen);
}

static void snapshot(
    GdkPaintable *paintable,
    GdkSnapshot *gdk_snapshot,
    double width,
    double height
) {
    KFZoomable *self = (KFZoomable *)paintable;
    KFPaintable *content = self->content;
    GtkSnapshot *to = GTK_SNAPSHOT(gdk_snapshot);
    if (self->on_paint) self->on_paint(width, height, self->context);
    if (!content || !(width > 0 && height > 0)) return;
    if (content->on_paint) content->on_paint(width, height, content->on_paint_context);
    // A placeholder has no place of its own.
    if (!(self->place.size.width > 0)) return kf_paint(content, to, width, height);
    double w = self->place.size.width, h = self->place.size.height;
    graphene_rect_t bounds = GRAPHENE_RECT_INIT(
        self->place.origin.x + self->part.origin.x * w,
        self->place.origin.y + self->part.origin.y * h,
        self->part.size.width * w,
        self->part.size.height * h
    );
    graphene_rect_t area = GRAPHENE_RECT_INIT(0, 0, width, height);
    gtk_snapshot_push_clip(to, &area);
    bool is_covered = self->detail && covers(&bounds, &self->place, &area);
    if (!is_covered) kf_paint_image_at(content, to, &self->place);
    // Once nothing moves, a part has the resolution of the screen, or is not shown. Until then the
    // best filter for smaller sizes would take longer than a frame.
    if (self->detail) kf_append_texture(to, self->detail, &bounds, 1, CAIRO_FILTER_BILINEAR);
    gtk_snapshot_pop(to);
    kf_paint_overlays(content, to, &self->place, width, height);
}

static GdkPaintable *current_image(GdkPaintable *paintable) {
    KFZoomable *self = (KFZoomable *)paintable;
    return self->content ? gdk_paintable_get_current_image(GDK_PAINTABLE(self->content))
                         : gdk_paintable_new_empty(0, 0);
}

static void implement_paintable(GdkPaintableInterface *interface) {
    interface->snapshot = snapshot;
    interface->get_current_image = current_image;
}

void *kf_zoomable_new(void *content, KFPaintedSize on_paint, void *context) {
    KFZoomable *self = g_object_new(kf_zoomable_get_type(), NULL);
    self->content = g_object_ref(content);
    g_signal_connect_object(
        content, "invalidate-contents", G_CALLBACK(gdk_paintable_invalidate_contents), self,
        G_CONNECT_SWAPPED
    );
    self->on_paint = on_paint;
    self->context = context;
    return self;
}

void kf_zoomable_detach(void *zoomable) { ((KFZoomable *)zoomable)->on_paint = NULL; }

void kf_zoomable_set_detail(
    void *zoomable,
    void *texture,
    double x,
    double y,
    double width,
    double height
) {
    KFZoomable *self = zoomable;
    g_set_object(&self->detail, texture);
    self->part = GRAPHENE_RECT_INIT(x, y, width, height);
    gdk_paintable_invalidate_contents(zoomable);
}

void kf_zoomable_set_place(void *zoomable, double x, double y, double width, double height) {
    ((KFZoomable *)zoomable)->place = GRAPHENE_RECT_INIT(x, y, width, height);
}

void kf_zoomable_queue_draw(void *zoomable) { gdk_paintable_invalidate_contents(zoomable); }

// --- Gestures

typedef struct {
    KFZoomHandler handler;
    void *context;
    // Where the pointer is, the anchor of the wheel and of keys.
    double x, y;
    double last_scale, last_x, last_y;
} Gestures;

static bool send(Gestures *self, KFZoomEvent event, double value, double x, double y) {
    return self->handler(event, value, x, y, self->context);
}

static void moved(GtkEventController *motion, double x, double y, Gestures *self) {
    (void)motion;
    self->x = x, self->y = y;
}

static gboolean scrolled(GtkEventControllerScroll *scroll, double dx, double dy, Gestures *self) {
    GtkEventController *controller = GTK_EVENT_CONTROLLER(scroll);
    GdkEvent *event = gtk_event_controller_get_current_event(controller);
    bool is_wheel = true;
    if (event) {
        GdkDevice *device = gdk_event_get_device(event);
        is_wheel = !device || gdk_device_get_source(device) != GDK_SOURCE_TOUCHPAD;
    }
    GdkModifierType state = gtk_event_controller_get_current_event_state(controller);
    if (is_wheel || (state & GDK_CONTROL_MASK)) {
        return send(self, KF_ZOOM_BY, pow(1.25, -dy), self->x, self->y);
    }
    return send(self, KF_ZOOM_MOVE, 0, -dx, -dy);
}

static void pinch_begins(GtkGesture *gesture, GdkEventSequence *sequence, Gestures *self) {
    (void)gesture, (void)sequence;
    self->last_scale = 1;
}

static void pinched(GtkGestureZoom *gesture, double scale, Gestures *self) {
    double x = self->x, y = self->y;
    gtk_gesture_get_bounding_box_center(GTK_GESTURE(gesture), &x, &y);
    if (scale > 0) send(self, KF_ZOOM_BY, scale / self->last_scale, x, y);
    if (scale > 0) self->last_scale = scale;
}

static void drag_begins(GtkGestureDrag *drag, double x, double y, Gestures *self) {
    (void)drag, (void)x, (void)y;
    self->last_x = self->last_y = 0;
}

static void dragged(GtkGestureDrag *drag, double x, double y, Gestures *self) {
    (void)drag;
    send(self, KF_ZOOM_MOVE, 0, x - self->last_x, y - self->last_y);
    self->last_x = x, self->last_y = y;
}

static void clicked(GtkGestureClick *click, int count, double x, double y, Gestures *self) {
    (void)click;
    if (count == 2) send(self, KF_ZOOM_TOGGLE, 0, x, y);
}

static gboolean key_pressed(
    GtkEventControllerKey *keys,
    guint key,
    guint code,
    GdkModifierType state,
    Gestures *self
) {
    (void)keys, (void)code;
    const double step = 64;
    // Those are shortcuts of the program, such as Alt+Left.
    if (state & (GDK_ALT_MASK | GDK_SUPER_MASK | GDK_META_MASK)) return FALSE;
    switch (key) {
    case GDK_KEY_plus: case GDK_KEY_KP_Add: case GDK_KEY_equal:
        return send(self, KF_ZOOM_BY, 1.5, NAN, NAN);
    case GDK_KEY_minus: case GDK_KEY_KP_Subtract:
        return send(self, KF_ZOOM_BY, 1 / 1.5, NAN, NAN);
    case GDK_KEY_0: case GDK_KEY_KP_0: return send(self, KF_ZOOM_FIT, 0, NAN, NAN);
    case GDK_KEY_1: case GDK_KEY_KP_1: return send(self, KF_ZOOM_ACTUAL, 0, NAN, NAN);
    default: break;
    }
    if (state & GDK_CONTROL_MASK) return FALSE;
    switch (key) {
    case GDK_KEY_Left: case GDK_KEY_KP_Left: return send(self, KF_ZOOM_MOVE, 0, step, 0);
    case GDK_KEY_Right: case GDK_KEY_KP_Right: return send(self, KF_ZOOM_MOVE, 0, -step, 0);
    case GDK_KEY_Up: case GDK_KEY_KP_Up: return send(self, KF_ZOOM_MOVE, 0, 0, step);
    case GDK_KEY_Down: case GDK_KEY_KP_Down: return send(self, KF_ZOOM_MOVE, 0, 0, -step);
    default: return FALSE;
    }
}

static void add(
    GtkWidget *widget,
    gpointer controller,
    const char *signal,
    GCallback callback,
    Gestures *self
) {
    g_signal_connect(controller, signal, callback, self);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(controller));
}

void kf_widget_add_zoom(void *widget, KFZoomHandler handler, void *context) {
    Gestures *self = g_new0(Gestures, 1);
    *self = (Gestures){.handler = handler, .context = context, .last_scale = 1};
    g_object_set_data_full(widget, "kingfisher-zoom-gestures", self, g_free);
    add(widget, gtk_event_controller_motion_new(), "motion", G_CALLBACK(moved), self);
    add(widget, gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES), "scroll",
        G_CALLBACK(scrolled), self);
    GtkGesture *pinch = gtk_gesture_zoom_new();
    g_signal_connect(pinch, "begin", G_CALLBACK(pinch_begins), self);
    add(widget, pinch, "scale-changed", G_CALLBACK(pinched), self);
    GtkGesture *drag = gtk_gesture_drag_new();
    g_signal_connect(drag, "drag-begin", G_CALLBACK(drag_begins), self);
    add(widget, drag, "drag-update", G_CALLBACK(dragged), self);
    add(widget, gtk_gesture_click_new(), "pressed", G_CALLBACK(clicked), self);
    add(widget, gtk_event_controller_key_new(), "key-pressed", G_CALLBACK(key_pressed), self);
    kf_widget_set_focusable(widget, true);
}
#endif

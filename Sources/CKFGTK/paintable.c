#ifdef KF_GTK
#include "CKFGTK.h"

#include <gtk/gtk.h>
#include <math.h>

typedef struct {
    GdkTexture *texture;
    double scale;
} Picture;

typedef struct {
    GObject parent;
    Picture current, previous;
    KFTransition transition;
    double progress;
    KFFit fit;
    bool has_natural_size;
    bool shows_spinner;
    GdkRGBA spinner_color;
    double spinner_phase;
    GdkTexture *overlay;
    double overlay_width, overlay_height, overlay_x, overlay_y;
    KFPaintedSize on_paint;
    void *on_paint_context;
} KFPaintable;

typedef GObjectClass KFPaintableClass;

static void implement_paintable(GdkPaintableInterface *interface);
GType kf_paintable_get_type(void);
G_DEFINE_TYPE_WITH_CODE(
    KFPaintable,
    kf_paintable,
    G_TYPE_OBJECT,
    G_IMPLEMENT_INTERFACE(GDK_TYPE_PAINTABLE, implement_paintable)
)

static void kf_paintable_init(KFPaintable *self) {
    self->progress = 1;
    self->current.scale = self->previous.scale = 1;
    self->fit = KF_FIT_CONTAIN;
    self->has_natural_size = true;
}

static void dispose(GObject *object) {
    KFPaintable *self = (KFPaintable *)object;
    g_clear_object(&self->current.texture);
    g_clear_object(&self->previous.texture);
    g_clear_object(&self->overlay);
    self->on_paint = NULL;
    G_OBJECT_CLASS(kf_paintable_parent_class)->dispose(object);
}

static void kf_paintable_class_init(KFPaintableClass *class) { class->dispose = dispose; }

// --- Painting

static graphene_rect_t fitted(
    double own_width,
    double own_height,
    KFFit fit,
    double width,
    double height
) {
    if (own_width <= 0 || own_height <= 0 || fit == KF_FIT_FILL) {
        return GRAPHENE_RECT_INIT(0, 0, width, height);
    }
    double horizontal = width / own_width, vertical = height / own_height;
    double factor = fit == KF_FIT_COVER ? fmax(horizontal, vertical)
                                        : fmin(horizontal, vertical);
    if (fit == KF_FIT_SCALE_DOWN) factor = fmin(factor, 1);
    double w = own_width * factor, h = own_height * factor;
    return GRAPHENE_RECT_INIT((width - w) / 2, (height - h) / 2, w, h);
}

static void paint_picture(
    KFPaintable *self,
    GtkSnapshot *snapshot,
    const Picture *picture,
    double width,
    double height
) {
    if (!picture->texture) return;
    double own_width = gdk_texture_get_width(picture->texture) / picture->scale;
    double own_height = gdk_texture_get_height(picture->texture) / picture->scale;
    graphene_rect_t bounds = fitted(own_width, own_height, self->fit, width, height);
    bool overflows = bounds.size.width > width + 0.01 || bounds.size.height > height + 0.01;
    if (overflows) gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, width, height));
    gtk_snapshot_append_texture(snapshot, picture->texture, &bounds);
    if (overflows) gtk_snapshot_pop(snapshot);
}

static void paint_flip(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    bool shows_new = self->progress >= 0.5;
    // Seen from far away a turning card is as wide as the cosine of its angle.
    double share = fmax(0.001, fabs(cos(self->progress * G_PI)));
    bool is_vertical = self->transition == KF_TRANSITION_FLIP_VERTICAL_AXIS;
    double x = is_vertical ? share : 1, y = is_vertical ? 1 : share;
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(
        snapshot, &GRAPHENE_POINT_INIT(width * (1 - x) / 2, height * (1 - y) / 2)
    );
    gtk_snapshot_scale(snapshot, x, y);
    paint_picture(self, snapshot, shows_new ? &self->current : &self->previous, width, height);
    gtk_snapshot_restore(snapshot);
}

static void paint_fade(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    gtk_snapshot_push_cross_fade(snapshot, self->progress);
    paint_picture(self, snapshot, &self->previous, width, height);
    gtk_snapshot_pop(snapshot);
    paint_picture(self, snapshot, &self->current, width, height);
    gtk_snapshot_pop(snapshot);
}

static void paint_spinner(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    enum { dots = 10 };
    // A third of the shorter side, as large as GTK's own at most.
    double diameter = fmin(32, fmin(width, height) / 3);
    double dot = diameter / 6, radius = (diameter - dot) / 2;
    for (int i = 0; i < dots; i++) {
        double turn = (double)i / dots;
        double age = self->spinner_phase - turn;
        age -= floor(age);
        GdkRGBA color = self->spinner_color;
        color.alpha *= 0.15 + 0.85 * (1 - age);
        graphene_rect_t bounds = GRAPHENE_RECT_INIT(
            width / 2 + radius * sin(turn * 2 * G_PI) - dot / 2,
            height / 2 - radius * cos(turn * 2 * G_PI) - dot / 2,
            dot,
            dot
        );
        GskRoundedRect circle;
        gsk_rounded_rect_init_from_rect(&circle, &bounds, dot / 2);
        gtk_snapshot_push_rounded_clip(snapshot, &circle);
        gtk_snapshot_append_color(snapshot, &color, &bounds);
        gtk_snapshot_pop(snapshot);
    }
}

static void paint_overlay(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    bool is_sized = self->overlay_width > 0 && self->overlay_height > 0;
    double w = is_sized ? self->overlay_width : width;
    double h = is_sized ? self->overlay_height : height;
    double x = (width - w) / 2 + self->overlay_x, y = (height - h) / 2 + self->overlay_y;
    graphene_rect_t bounds = fitted(
        gdk_texture_get_width(self->overlay), gdk_texture_get_height(self->overlay),
        KF_FIT_CONTAIN, w, h
    );
    graphene_rect_offset(&bounds, x, y);
    gtk_snapshot_append_texture(snapshot, self->overlay, &bounds);
}

static void snapshot(
    GdkPaintable *paintable,
    GdkSnapshot *gdk_snapshot,
    double width,
    double height
) {
    KFPaintable *self = (KFPaintable *)paintable;
    GtkSnapshot *snapshot = GTK_SNAPSHOT(gdk_snapshot);
    if (self->on_paint) self->on_paint(width, height, self->on_paint_context);
    if (width <= 0 || height <= 0) return;
    if (self->progress >= 1) {
        paint_picture(self, snapshot, &self->current, width, height);
    } else if (self->transition == KF_TRANSITION_FADE) {
        paint_fade(self, snapshot, width, height);
    } else {
        paint_flip(self, snapshot, width, height);
    }
    if (self->shows_spinner) paint_spinner(self, snapshot, width, height);
    if (self->overlay) paint_overlay(self, snapshot, width, height);
}

static int natural_side(const KFPaintable *self, int pixels) {
    if (!self->has_natural_size || pixels == 0) return 0;
    return (int)fmax(1, round(pixels / self->current.scale));
}

static int intrinsic_width(GdkPaintable *paintable) {
    KFPaintable *self = (KFPaintable *)paintable;
    GdkTexture *texture = self->current.texture;
    return natural_side(self, texture ? gdk_texture_get_width(texture) : 0);
}

static int intrinsic_height(GdkPaintable *paintable) {
    KFPaintable *self = (KFPaintable *)paintable;
    GdkTexture *texture = self->current.texture;
    return natural_side(self, texture ? gdk_texture_get_height(texture) : 0);
}

static GdkPaintable *current_image(GdkPaintable *paintable) {
    KFPaintable *self = (KFPaintable *)paintable;
    return self->current.texture ? GDK_PAINTABLE(g_object_ref(self->current.texture))
                                 : gdk_paintable_new_empty(0, 0);
}

static void implement_paintable(GdkPaintableInterface *interface) {
    interface->snapshot = snapshot;
    interface->get_intrinsic_width = intrinsic_width;
    interface->get_intrinsic_height = intrinsic_height;
    interface->get_current_image = current_image;
}

// --- Changing it

void *kf_paintable_new(void) { return g_object_new(kf_paintable_get_type(), NULL); }

static void replace_current(KFPaintable *self, GdkTexture *texture, double scale) {
    int width = intrinsic_width(GDK_PAINTABLE(self));
    int height = intrinsic_height(GDK_PAINTABLE(self));
    g_set_object(&self->current.texture, texture);
    self->current.scale = scale > 0 ? scale : 1;
    // A new size makes the widget's window lay itself out again: only when it is one.
    if (width != intrinsic_width(GDK_PAINTABLE(self))
        || height != intrinsic_height(GDK_PAINTABLE(self))) {
        gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
    }
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void kf_paintable_set_texture(void *paintable, void *texture, double scale) {
    KFPaintable *self = paintable;
    g_clear_object(&self->previous.texture);
    self->progress = 1;
    replace_current(self, texture, scale);
}

void kf_paintable_begin_transition(
    void *paintable,
    void *texture,
    double scale,
    KFTransition transition
) {
    KFPaintable *self = paintable;
    g_set_object(&self->previous.texture, self->current.texture);
    self->previous.scale = self->current.scale;
    self->transition = transition;
    self->progress = 0;
    replace_current(self, texture, scale);
}

void kf_paintable_set_progress(void *paintable, double progress) {
    KFPaintable *self = paintable;
    if (self->progress == progress) return;
    self->progress = fmin(1, fmax(0, progress));
    if (self->progress >= 1) g_clear_object(&self->previous.texture);
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

double kf_paintable_get_progress(void *paintable) { return ((KFPaintable *)paintable)->progress; }

void *kf_paintable_get_texture(void *paintable) {
    return ((KFPaintable *)paintable)->current.texture;
}

void kf_paintable_set_fit(void *paintable, KFFit fit) {
    KFPaintable *self = paintable;
    if (self->fit == fit) return;
    self->fit = fit;
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void kf_paintable_set_has_natural_size(void *paintable, bool has_natural_size) {
    KFPaintable *self = paintable;
    if (self->has_natural_size == has_natural_size) return;
    self->has_natural_size = has_natural_size;
    gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
}

void kf_paintable_show_spinner(void *paintable, const float color[4]) {
    KFPaintable *self = paintable;
    self->shows_spinner = true;
    self->spinner_color = (GdkRGBA){color[0], color[1], color[2], color[3]};
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void kf_paintable_set_spinner_phase(void *paintable, double phase) {
    KFPaintable *self = paintable;
    self->spinner_phase = phase;
    if (self->shows_spinner) gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void kf_paintable_hide_spinner(void *paintable) {
    KFPaintable *self = paintable;
    if (!self->shows_spinner) return;
    self->shows_spinner = false;
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void kf_paintable_set_overlay(
    void *paintable,
    void *texture,
    double width,
    double height,
    double offset_x,
    double offset_y
) {
    KFPaintable *self = paintable;
    g_set_object(&self->overlay, texture);
    self->overlay_width = width;
    self->overlay_height = height;
    self->overlay_x = offset_x;
    self->overlay_y = offset_y;
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void kf_paintable_on_paint(void *paintable, KFPaintedSize callback, void *context) {
    KFPaintable *self = paintable;
    self->on_paint = callback;
    self->on_paint_context = context;
}
#endif

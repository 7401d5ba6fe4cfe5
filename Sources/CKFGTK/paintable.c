#ifdef KF_GTK
#include "paintable.h"

#include <math.h>

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
    self->density = 1;
    self->has_natural_size = true;
}

static void dispose(GObject *object) {
    KFPaintable *self = (KFPaintable *)object;
    g_clear_object(&self->current.texture);
    g_clear_object(&self->previous.texture);
    g_clear_object(&self->overlay);
    g_clear_object(&self->badge_text);
    g_clear_object(&self->stand_in);
    self->on_paint = NULL;
    G_OBJECT_CLASS(kf_paintable_parent_class)->dispose(object);
}

static void kf_paintable_class_init(KFPaintableClass *class) { class->dispose = dispose; }

// --- GdkPaintable

static void snapshot(
    GdkPaintable *paintable,
    GdkSnapshot *gdk_snapshot,
    double width,
    double height
) {
    KFPaintable *self = (KFPaintable *)paintable;
    if (self->on_paint) self->on_paint(width, height, self->on_paint_context);
    if (width > 0 && height > 0) kf_paint(self, GTK_SNAPSHOT(gdk_snapshot), width, height);
}

static int natural_side(const KFPaintable *self, int pixels, int released) {
    if (!self->has_natural_size) return 0;
    if (pixels == 0) return released;
    // More than any layout takes, and safe to add.
    return (int)fmin(1e6, fmax(1, round(pixels / self->current.scale)));
}

static int intrinsic_width(GdkPaintable *paintable) {
    KFPaintable *self = (KFPaintable *)paintable;
    if (self->own_width > 0) return self->own_width;
    GdkTexture *texture = self->current.texture;
    int pixels = texture ? gdk_texture_get_width(texture) : 0;
    return natural_side(self, pixels, self->released_width);
}

static int intrinsic_height(GdkPaintable *paintable) {
    KFPaintable *self = (KFPaintable *)paintable;
    if (self->own_height > 0) return self->own_height;
    GdkTexture *texture = self->current.texture;
    int pixels = texture ? gdk_texture_get_height(texture) : 0;
    return natural_side(self, pixels, self->released_height);
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

// --- Changes

void *kf_paintable_new(void) { return g_object_new(kf_paintable_get_type(), NULL); }

static void replace_current(KFPaintable *self, GdkTexture *texture, double scale) {
    int width = intrinsic_width(GDK_PAINTABLE(self));
    int height = intrinsic_height(GDK_PAINTABLE(self));
    g_set_object(&self->current.texture, texture);
    self->current.scale = scale > 0 ? scale : 1;
    self->released_width = self->released_height = 0;
    kf_update_stand_in(self);
    // Invalidating the size makes the window lay itself out again, so only if it has changed.
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

void kf_paintable_release(void *paintable) {
    KFPaintable *self = paintable;
    int width = intrinsic_width(GDK_PAINTABLE(self));
    int height = intrinsic_height(GDK_PAINTABLE(self));
    g_clear_object(&self->current.texture);
    g_clear_object(&self->previous.texture);
    self->progress = 1;
    self->released_width = width;
    self->released_height = height;
    kf_update_stand_in(self);
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
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

void kf_paintable_set_layers(
    void *paintable,
    KFLayer previous,
    KFLayer current,
    bool previous_is_in_front
) {
    KFPaintable *self = paintable;
    self->previous_layer = previous;
    self->current_layer = current;
    self->previous_is_in_front = previous_is_in_front;
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

void kf_paintable_set_density(void *paintable, double density) {
    KFPaintable *self = paintable;
    if (self->density == density || !(density > 0)) return;
    self->density = density;
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void kf_paintable_set_has_natural_size(void *paintable, bool has_natural_size) {
    KFPaintable *self = paintable;
    if (self->has_natural_size == has_natural_size) return;
    self->has_natural_size = has_natural_size;
    gdk_paintable_invalidate_size(GDK_PAINTABLE(self));
}

void kf_paintable_set_own_size(void *paintable, double width, double height) {
    KFPaintable *self = paintable;
    if (!(width > 0 && height > 0)) return;
    self->own_width = (int)fmin(1e6, fmax(1, round(width)));
    self->own_height = (int)fmin(1e6, fmax(1, round(height)));
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

bool kf_object_set_paintable(void *object, const char *property, void *paintable) {
    GParamSpec *found = g_object_class_find_property(G_OBJECT_GET_CLASS(object), property);
    if (!found || !(found->flags & G_PARAM_WRITABLE)) return false;
    if (!g_type_is_a(kf_paintable_get_type(), found->value_type)) return false;
    g_object_set(object, property, paintable, NULL);
    return true;
}

void kf_paintable_on_paint(void *paintable, KFPaintedSize callback, void *context) {
    KFPaintable *self = paintable;
    self->on_paint = callback;
    self->on_paint_context = context;
}
#endif

#ifdef KF_GTK
#include "paintable.h"

#include <math.h>

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

// Snaps a rectangle that has as many of the screen's pixels as the texture, except for rounding, to
// the screen's pixels. The texture is then painted unscaled: sharper and much faster.
static void align(graphene_rect_t *bounds, GdkTexture *texture, double density) {
    double own_width = gdk_texture_get_width(texture) / density;
    double own_height = gdk_texture_get_height(texture) / density;
    double tolerance = 1.0 / density;
    if (fabs(bounds->size.width - own_width) >= tolerance
        || fabs(bounds->size.height - own_height) >= tolerance) {
        return;
    }
    bounds->origin.x = floor(bounds->origin.x * density) / density;
    bounds->origin.y = floor(bounds->origin.y * density) / density;
    bounds->size.width = own_width;
    bounds->size.height = own_height;
}

static graphene_rect_t placed(
    const KFPaintable *self,
    const Picture *picture,
    double width,
    double height
) {
    double own_width = gdk_texture_get_width(picture->texture) / picture->scale;
    double own_height = gdk_texture_get_height(picture->texture) / picture->scale;
    graphene_rect_t bounds = fitted(own_width, own_height, self->fit, width, height);
    if (self->fit != KF_FIT_FILL) align(&bounds, picture->texture, self->density);
    return bounds;
}

static void paint_picture(
    KFPaintable *self,
    GtkSnapshot *snapshot,
    const Picture *picture,
    double width,
    double height
) {
    if (!picture->texture) return;
    graphene_rect_t bounds = placed(self, picture, width, height);
    bool overflows = bounds.size.width > width + 0.01 || bounds.size.height > height + 0.01;
    if (overflows) gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, width, height));
    kf_append_texture(snapshot, picture->texture, &bounds, self->density, CAIRO_FILTER_GOOD);
    if (overflows) gtk_snapshot_pop(snapshot);
}

static void paint_flip(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    bool shows_new = self->progress >= 0.5;
    // Seen from far away, the width of a turning card is the cosine of its angle.
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

// Whether a layer is visible; neither GTK nor cairo accepts numbers beyond these.
static bool is_visible(const KFLayer *layer) {
    const double limit = 1e4;
    return layer->opacity > 0 && fabs(layer->scale_x) < limit && fabs(layer->scale_y) < limit
        && fabs(layer->offset_x) < limit && fabs(layer->offset_y) < limit
        && isfinite(layer->rotation)
        // A scale of zero has no inverse, which renderers require.
        && layer->scale_x != 0 && layer->scale_y != 0;
}

static void paint_layer(
    KFPaintable *self,
    GtkSnapshot *snapshot,
    const Picture *picture,
    const KFLayer *layer,
    double width,
    double height
) {
    if (!is_visible(layer)) return;
    double x = width * (0.5 + layer->offset_x), y = height * (0.5 + layer->offset_y);
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(x, y));
    gtk_snapshot_rotate(snapshot, fmod(layer->rotation, 360));
    gtk_snapshot_scale(snapshot, layer->scale_x, layer->scale_y);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT(-width / 2, -height / 2));
    gtk_snapshot_push_opacity(snapshot, fmin(1, layer->opacity));
    paint_picture(self, snapshot, picture, width, height);
    gtk_snapshot_pop(snapshot);
    gtk_snapshot_restore(snapshot);
}

static void paint_layers(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    gtk_snapshot_push_clip(snapshot, &GRAPHENE_RECT_INIT(0, 0, width, height));
    const Picture *current = &self->current, *previous = &self->previous;
    if (self->previous_is_in_front) {
        paint_layer(self, snapshot, current, &self->current_layer, width, height);
    }
    paint_layer(self, snapshot, previous, &self->previous_layer, width, height);
    if (!self->previous_is_in_front) {
        paint_layer(self, snapshot, current, &self->current_layer, width, height);
    }
    gtk_snapshot_pop(snapshot);
}

static void paint_spinner(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    enum { dots = 10 };
    // A third of the shorter side, at most the size of GTK's own.
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
    kf_append_texture(snapshot, self->overlay, &bounds, self->density, CAIRO_FILTER_GOOD);
}

static void paint_image(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    if (self->progress >= 1) {
        paint_picture(self, snapshot, &self->current, width, height);
    } else if (self->transition == KF_TRANSITION_FADE) {
        paint_fade(self, snapshot, width, height);
    } else if (self->transition == KF_TRANSITION_LAYERS) {
        paint_layers(self, snapshot, width, height);
    } else {
        paint_flip(self, snapshot, width, height);
    }
}

void kf_paint_image_at(KFPaintable *self, GtkSnapshot *snapshot, const graphene_rect_t *place) {
    KFFit fit = self->fit;
    self->fit = KF_FIT_FILL;
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &place->origin);
    paint_image(self, snapshot, place->size.width, place->size.height);
    gtk_snapshot_restore(snapshot);
    self->fit = fit;
}

void kf_paint_overlays(
    KFPaintable *self,
    GtkSnapshot *snapshot,
    const graphene_rect_t *image,
    double width,
    double height
) {
    kf_paint_stand_in(self, snapshot, width, height);
    if (self->shows_badge && self->current.texture) {
        graphene_rect_t bounds;
        graphene_rect_intersection(image, &GRAPHENE_RECT_INIT(0, 0, width, height), &bounds);
        kf_paint_badge(self, snapshot, &bounds);
    }
    if (self->shows_spinner) paint_spinner(self, snapshot, width, height);
    if (self->overlay) paint_overlay(self, snapshot, width, height);
}

void kf_paint(KFPaintable *self, GtkSnapshot *snapshot, double width, double height) {
    paint_image(self, snapshot, width, height);
    graphene_rect_t image = GRAPHENE_RECT_INIT(0, 0, width, height);
    if (self->current.texture) image = placed(self, &self->current, width, height);
    kf_paint_overlays(self, snapshot, &image, width, height);
}
#endif

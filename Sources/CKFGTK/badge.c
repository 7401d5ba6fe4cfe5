#ifdef KF_GTK
#include "paintable.h"

#include <math.h>

enum {
    MARGIN = 6,
    PADDING_X = 6,
    PADDING_Y = 2,
    MOST_DIAMETER = 56,
    // A shorter side than this has no room for a sign.
    LEAST_SIDE = 24,
};

void *kf_widget_make_badge_text(void *widget, const char *text) {
    PangoLayout *layout = gtk_widget_create_pango_layout(widget, text);
    PangoAttrList *attributes = pango_attr_list_new();
    pango_attr_list_insert(attributes, pango_attr_scale_new(PANGO_SCALE_SMALL));
    pango_layout_set_attributes(layout, attributes);
    pango_attr_list_unref(attributes);
    return layout;
}

void kf_paintable_show_badge(void *paintable, void *text, bool is_right_to_left) {
    KFPaintable *self = paintable;
    if (self->shows_badge && self->badge_text == text
        && self->is_right_to_left == is_right_to_left) {
        return;
    }
    self->shows_badge = true;
    self->is_right_to_left = is_right_to_left;
    g_set_object(&self->badge_text, text);
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

void kf_paintable_hide_badge(void *paintable) {
    KFPaintable *self = paintable;
    if (!self->shows_badge) return;
    self->shows_badge = false;
    g_clear_object(&self->badge_text);
    gdk_paintable_invalidate_contents(GDK_PAINTABLE(self));
}

static double aligned(const KFPaintable *self, double place) {
    return floor(place * self->density) / self->density;
}

// A dark disc with a white triangle that points right in every language, like the keys of players.
static void paint_sign(KFPaintable *self, GtkSnapshot *snapshot, const graphene_rect_t *area) {
    double side = fmin(area->size.width, area->size.height);
    if (side < LEAST_SIDE) return;
    double diameter = fmin(MOST_DIAMETER, round(side / 5) * 2), radius = diameter / 2;
    graphene_rect_t bounds = GRAPHENE_RECT_INIT(
        aligned(self, area->origin.x + (area->size.width - diameter) / 2),
        aligned(self, area->origin.y + (area->size.height - diameter) / 2),
        diameter,
        diameter
    );
    // Replayed at the scale of the screen, by OpenGL not always at whole pixels.
    graphene_rect_t painted;
    graphene_rect_inset_r(&bounds, -1, -1, &painted);
    cairo_t *cairo = gtk_snapshot_append_cairo(snapshot, &painted);
    cairo_translate(cairo, bounds.origin.x + radius, bounds.origin.y + radius);
    cairo_arc(cairo, 0, 0, radius, 0, 2 * G_PI);
    cairo_set_source_rgba(cairo, 0, 0, 0, 0.6);
    cairo_fill(cairo);
    // Its centre of mass is that of the disc.
    double corner = radius * 0.5;
    cairo_move_to(cairo, corner, 0);
    cairo_line_to(cairo, -corner / 2, corner * sqrt(3) / 2);
    cairo_line_to(cairo, -corner / 2, -corner * sqrt(3) / 2);
    cairo_close_path(cairo);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_fill(cairo);
    cairo_destroy(cairo);
}

// The text in the lower corner where a line ends.
static void paint_text(KFPaintable *self, GtkSnapshot *snapshot, const graphene_rect_t *area) {
    int text_width, text_height;
    pango_layout_get_pixel_size(self->badge_text, &text_width, &text_height);
    double width = text_width + 2 * PADDING_X, height = text_height + 2 * PADDING_Y;
    if (width + 2 * MARGIN > area->size.width || (height + MARGIN) * 4 > area->size.height) return;
    double right = area->origin.x + area->size.width - MARGIN - width;
    graphene_rect_t bounds = GRAPHENE_RECT_INIT(
        aligned(self, self->is_right_to_left ? area->origin.x + MARGIN : right),
        aligned(self, area->origin.y + area->size.height - MARGIN - height),
        width,
        height
    );
    GskRoundedRect rounded;
    gsk_rounded_rect_init_from_rect(&rounded, &bounds, 4);
    gtk_snapshot_push_rounded_clip(snapshot, &rounded);
    gtk_snapshot_append_color(snapshot, &(GdkRGBA){0, 0, 0, 0.6}, &bounds);
    gtk_snapshot_pop(snapshot);
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(
        snapshot,
        &GRAPHENE_POINT_INIT(bounds.origin.x + PADDING_X, bounds.origin.y + PADDING_Y)
    );
    gtk_snapshot_append_layout(snapshot, self->badge_text, &(GdkRGBA){1, 1, 1, 1});
    gtk_snapshot_restore(snapshot);
}

void kf_paint_badge(KFPaintable *self, GtkSnapshot *snapshot, const graphene_rect_t *area) {
    paint_sign(self, snapshot, area);
    if (self->badge_text) paint_text(self, snapshot, area);
}
#endif

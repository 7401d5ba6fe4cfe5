#pragma once
#include "CKFGTK.h"

#include <gtk/gtk.h>

// The state of a paintable, shared by the two files that implement it.

typedef struct {
    GdkTexture *texture;
    double scale;
} Picture;

typedef struct {
    GObject parent;
    Picture current, previous;
    KFTransition transition;
    double progress;
    KFLayer previous_layer, current_layer;
    bool previous_is_in_front;
    KFFit fit;
    double density;
    bool has_natural_size;
    // The natural size in place of that of the texture; 0 for none.
    int own_width, own_height;
    // The natural size of a released texture; 0 without one.
    int released_width, released_height;
    bool shows_spinner;
    GdkRGBA spinner_color;
    double spinner_phase;
    GdkTexture *overlay;
    double overlay_width, overlay_height, overlay_x, overlay_y;
    bool shows_badge, is_right_to_left;
    PangoLayout *badge_text;
    // A child of the GtkPicture that is shown while there is no texture.
    GtkWidget *stand_in;
    // Its GtkPicture, not retained; null without one.
    GtkWidget *picture;
    KFPaintedSize on_paint;
    void *on_paint_context;
} KFPaintable;

// Paints everything into an area that is not empty.
void kf_paint(KFPaintable *self, GtkSnapshot *snapshot, double width, double height);

// Paints the image alone, stretched to a place.
void kf_paint_image_at(KFPaintable *self, GtkSnapshot *snapshot, const graphene_rect_t *place);

// Paints the badge over the visible part of the image, and what is shown during loads over an area.
void kf_paint_overlays(
    KFPaintable *self,
    GtkSnapshot *snapshot,
    const graphene_rect_t *image,
    double width,
    double height
);

// Paints the badge over the visible part of the image.
void kf_paint_badge(KFPaintable *self, GtkSnapshot *snapshot, const graphene_rect_t *area);

// Paints the widget that is shown while there is no texture.
void kf_paint_stand_in(KFPaintable *self, GtkSnapshot *snapshot, double width, double height);

// Shows or hides that widget after the texture has changed.
void kf_update_stand_in(KFPaintable *self);

// Paints a texture, from the pixels of kf_texture_add_cairo_pixels if it has them. Only these are
// scaled with the filter. `density` is that of the screen; 1 for a texture that does not fit its pixels.
void kf_append_texture(
    GtkSnapshot *snapshot,
    GdkTexture *texture,
    const graphene_rect_t *bounds,
    double density,
    cairo_filter_t filter
);

#ifdef KF_GTK
#include "paintable.h"

#include <math.h>
#include <string.h>

static const char surface_key[] = "kingfisher-surface";
static const cairo_user_data_key_t source_key;

// Premultiplied RGBA as cairo's pixels.
static void convert(const uint8_t *rgba, uint32_t *pixels, int count) {
    for (int i = 0; i < count; i++) {
        uint32_t pixel;
        memcpy(&pixel, rgba + i * (size_t)4, sizeof pixel);
        pixel = GUINT32_FROM_LE(pixel);
        // Whole pixels rather than bytes, which compilers turn into vectors.
        pixels[i] = (pixel & 0xFF00FF00) | (pixel & 0xFF) << 16 | (pixel >> 16 & 0xFF);
    }
}

void kf_texture_add_cairo_pixels(
    void *texture,
    const uint8_t *rgba,
    size_t bytes_per_row,
    bool is_opaque
) {
    int width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
    // In the heap: the main thread releases the textures of a list that scrolls, and a mapping of the
    // system costs it more than the rest of that.
    cairo_surface_t *surface = cairo_image_surface_create(
        is_opaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32, width, height
    );
    uint8_t *pixels = cairo_image_surface_get_data(surface);
    if (!pixels) {
        cairo_surface_destroy(surface);
        return;
    }
    size_t stride = (size_t)cairo_image_surface_get_stride(surface);
    cairo_surface_flush(surface);
    for (int row = 0; row < height; row++) {
        convert(rgba + row * bytes_per_row, (uint32_t *)(void *)(pixels + row * stride), width);
    }
    cairo_surface_mark_dirty(surface);
    g_object_set_data_full(texture, surface_key, surface, (GDestroyNotify)cairo_surface_destroy);
}

void kf_append_texture(
    GtkSnapshot *snapshot,
    GdkTexture *texture,
    const graphene_rect_t *bounds,
    double density,
    cairo_filter_t filter
) {
    cairo_surface_t *surface = g_object_get_data(G_OBJECT(texture), surface_key);
    if (!surface) {
        gtk_snapshot_append_texture(snapshot, texture, bounds);
        return;
    }
    double width = gdk_texture_get_width(texture), height = gdk_texture_get_height(texture);
    graphene_rect_t place = *bounds;
    gtk_snapshot_save(snapshot);
    if (density != 1 && fabs(place.size.width * density - width) < 0.01
        && fabs(place.size.height * density - height) < 0.01) {
        // Cairo paints a recording in pixels of the screen in half the time of one in points.
        gtk_snapshot_scale(snapshot, 1 / density, 1 / density);
        place = GRAPHENE_RECT_INIT(place.origin.x * density, place.origin.y * density, width, height);
    }
    // Not gtk_snapshot_append_cairo, which paints at a wrong place if the snapshot is scaled.
    GskRenderNode *node = gsk_cairo_node_new(&place);
    cairo_t *cairo = gsk_cairo_node_get_draw_context(node);
    cairo_translate(cairo, place.origin.x, place.origin.y);
    cairo_scale(cairo, place.size.width / width, place.size.height / height);
    cairo_set_source_surface(cairo, surface, 0, 0);
    // The node records the surface without a reference to it. If the surface was freed first, cairo
    // would copy its pixels for the node.
    cairo_surface_set_user_data(
        cairo_get_target(cairo), &source_key, cairo_surface_reference(surface),
        (cairo_destroy_func_t)cairo_surface_destroy
    );
    cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
    cairo_pattern_set_filter(cairo_get_source(cairo), filter);
    cairo_rectangle(cairo, 0, 0, width, height);
    cairo_fill(cairo);
    cairo_destroy(cairo);
    gtk_snapshot_append_node(snapshot, node);
    gsk_render_node_unref(node);
    gtk_snapshot_restore(snapshot);
}

bool kf_widget_is_painted_by_cairo(void *widget) {
    GtkNative *native = gtk_widget_get_native(widget);
    return native && GSK_IS_CAIRO_RENDERER(gtk_native_get_renderer(native));
}
#endif

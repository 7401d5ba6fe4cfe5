// For memmem.
#define _GNU_SOURCE
#include "abi_rsvg.h"
#include "kf_picture_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(DO) \
    DO(cairo_create) \
    DO(cairo_destroy) \
    DO(cairo_image_surface_create) \
    DO(cairo_image_surface_get_data) \
    DO(cairo_image_surface_get_stride) \
    DO(cairo_scale) \
    DO(cairo_status) \
    DO(cairo_surface_destroy) \
    DO(cairo_surface_flush) \
    DO(g_error_free) \
    DO(g_object_unref) \
    DO(rsvg_handle_get_intrinsic_dimensions) \
    DO(rsvg_handle_get_intrinsic_size_in_pixels) \
    DO(rsvg_handle_new_from_data) \
    DO(rsvg_handle_render_document)

static struct {
    FUNCTIONS(KF_FIELD)
} rsvg;

// librsvg brings cairo and GLib.
#define FILL(name) KF_FIND(rsvg, name)

static int find_functions(void *library) {
    FUNCTIONS(FILL)
    return 1;
}

static int load(void) {
    static const char *const files[] = {"librsvg-2.so.2", NULL};
    return kf_library_load(files, find_functions);
}

static kf_picture_status failure(kf_picture *picture, GError *error) {
    // A truncated document is invalid XML too; the missing end tag distinguishes it.
    static const char end[] = "</svg>";
    int has_end = memmem(picture->bytes, picture->count, end, sizeof end - 1) != NULL;
    kf_picture_status status = has_end ? KF_PICTURE_CORRUPT : KF_PICTURE_TRUNCATED;
    (void)kf_picture_fail(picture, status, error ? error->message : "no reason given");
    if (error != NULL) rsvg.g_error_free(error);
    return status;
}

// The intrinsic size of a drawing; if there is none, that of its view box, or CSS's default of 300
// × 150.
static void find_size(RsvgHandle *handle, double *width, double *height) {
    if (rsvg.rsvg_handle_get_intrinsic_size_in_pixels(handle, width, height)) return;
    gboolean has_width, has_height, has_box;
    RsvgLength stated_width, stated_height;
    RsvgRectangle box;
    rsvg.rsvg_handle_get_intrinsic_dimensions(handle, &has_width, &stated_width, &has_height,
                                         &stated_height, &has_box, &box);
    *width = has_box ? box.width : 300;
    *height = has_box ? box.height : 150;
}

static kf_picture_status read_header(kf_picture *picture) {
    GError *error = NULL;
    // Without a base URL, a drawing cannot refer to other files.
    RsvgHandle *handle = rsvg.rsvg_handle_new_from_data(picture->bytes, picture->count, &error);
    if (handle == NULL) return failure(picture, error);
    picture->state = handle;
    double width = 0, height = 0;
    find_size(handle, &width, &height);
    if (!(width > 0 && height > 0 && width < INT32_MAX && height < INT32_MAX))
        return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "an invalid size");
    picture->info.width = (int)ceil(width);
    picture->info.height = (int)ceil(height);
    picture->info.has_alpha = 1;
    picture->info.is_premultiplied = 1;
    picture->info.working_bytes_per_pixel = 4;
    return KF_PICTURE_OK;
}

// Converts Cairo's ARGB words in native byte order to RGBA bytes.
static void reorder(uint8_t *pixels, int width) {
    for (int x = 0; x < width; x++) {
        uint32_t pixel;
        memcpy(&pixel, pixels + 4 * x, sizeof pixel);
        pixels[4 * x] = (uint8_t)(pixel >> 16);
        pixels[4 * x + 1] = (uint8_t)(pixel >> 8);
        pixels[4 * x + 2] = (uint8_t)pixel;
        pixels[4 * x + 3] = (uint8_t)(pixel >> 24);
    }
}

static kf_picture_status read_rows(kf_picture *picture, int width, int height, kf_picture_row row,
                                   void *context) {
    if (kf_picture_raster_bytes(picture, width, height) == 0)
        return kf_picture_fail(picture, KF_PICTURE_TOO_MUCH_MEMORY, "no memory");
    cairo_surface_t *surface = rsvg.cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    cairo_t *cairo = rsvg.cairo_create(surface);
    RsvgRectangle viewport = {0, 0, width, height};
    // The drawing fills the target; the caller is responsible for the aspect ratio.
    double own_width = 0, own_height = 0;
    find_size(picture->state, &own_width, &own_height);
    rsvg.cairo_scale(cairo, width / own_width, height / own_height);
    viewport.width = own_width;
    viewport.height = own_height;
    GError *error = NULL;
    kf_picture_status status = KF_PICTURE_OK;
    if (!rsvg.rsvg_handle_render_document(picture->state, cairo, &viewport, &error)) {
        status = kf_picture_fail(picture, KF_PICTURE_CORRUPT, error ? error->message : "no reason");
        if (error != NULL) rsvg.g_error_free(error);
    } else if (rsvg.cairo_status(cairo) != CAIRO_STATUS_SUCCESS) {
        status = kf_picture_fail(picture, KF_PICTURE_TOO_MUCH_MEMORY, "cairo ran out of memory");
    }
    rsvg.cairo_surface_flush(surface);
    uint8_t *pixels = rsvg.cairo_image_surface_get_data(surface);
    int stride = rsvg.cairo_image_surface_get_stride(surface);
    for (int y = 0; status == KF_PICTURE_OK && pixels != NULL && y < height; y++) {
        reorder(pixels + (size_t)stride * (size_t)y, width);
        row(context, pixels + (size_t)stride * (size_t)y);
    }
    rsvg.cairo_destroy(cairo);
    rsvg.cairo_surface_destroy(surface);
    return status;
}

static void destroy(kf_picture *picture) { rsvg.g_object_unref(picture->state); }

const kf_picture_functions kf_svg_functions = {load, read_header, read_rows, destroy};

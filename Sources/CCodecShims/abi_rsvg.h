#pragma once
// The part of the interfaces of librsvg, since 2.52, and of cairo and GLib that the shim uses, so that
// building needs none of their headers. Scripts/walls.sh also compiles the shim with those.
#ifdef KF_SYSTEM_HEADERS
#include <librsvg/rsvg.h>
#else
#include <stddef.h>
#include <stdint.h>

typedef int gboolean;
typedef void *gpointer;
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} GError;

typedef struct RsvgHandle RsvgHandle;
typedef struct {
    double length;
    int unit;
} RsvgLength;
typedef struct {
    double x, y, width, height;
} RsvgRectangle;

typedef struct cairo_surface cairo_surface_t;
typedef struct cairo cairo_t;
typedef enum { CAIRO_FORMAT_ARGB32 = 0 } cairo_format_t;
typedef enum { CAIRO_STATUS_SUCCESS = 0 } cairo_status_t;

void g_error_free(GError *error);
void g_object_unref(gpointer object);
RsvgHandle *rsvg_handle_new_from_data(const uint8_t *bytes, size_t count, GError **error);
gboolean rsvg_handle_get_intrinsic_size_in_pixels(RsvgHandle *handle, double *width,
                                                  double *height);
void rsvg_handle_get_intrinsic_dimensions(RsvgHandle *handle, gboolean *has_width,
                                          RsvgLength *width, gboolean *has_height,
                                          RsvgLength *height, gboolean *has_box,
                                          RsvgRectangle *box);
gboolean rsvg_handle_render_document(RsvgHandle *handle, cairo_t *cairo,
                                     const RsvgRectangle *viewport, GError **error);
cairo_surface_t *cairo_image_surface_create(cairo_format_t format, int width, int height);
unsigned char *cairo_image_surface_get_data(cairo_surface_t *surface);
int cairo_image_surface_get_stride(cairo_surface_t *surface);
void cairo_surface_flush(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);
cairo_t *cairo_create(cairo_surface_t *surface);
void cairo_scale(cairo_t *cairo, double x, double y);
cairo_status_t cairo_status(cairo_t *cairo);
void cairo_destroy(cairo_t *cairo);
#endif

#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(gboolean) == 4 && sizeof(RsvgLength) == 16 && sizeof(RsvgRectangle) == 32
                   && offsetof(RsvgRectangle, width) == 16 && offsetof(GError, message) == 8,
               "");
#endif
_Static_assert(CAIRO_FORMAT_ARGB32 == 0 && CAIRO_STATUS_SUCCESS == 0, "");

#pragma once
// The part of the interfaces of librsvg, since 2.52, and of cairo, gdk-pixbuf and GLib that the shims use, so
// that building needs none of their headers. Scripts/walls.sh also compiles the shims with those.
#ifdef KF_SYSTEM_HEADERS
#include <gdk-pixbuf/gdk-pixbuf.h>
#include <librsvg/rsvg.h>
// GLib 2.76 and later have it as a macro, too.
#undef g_strdup
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

typedef struct GSList {
    gpointer data;
    struct GSList *next;
} GSList;

typedef struct GdkPixbufFormat GdkPixbufFormat;
typedef struct GdkPixbufLoader GdkPixbufLoader;

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
char *g_strdup(const char *text);
GSList *gdk_pixbuf_get_formats(void);
char *gdk_pixbuf_format_get_name(GdkPixbufFormat *format);
GdkPixbufLoader *gdk_pixbuf_loader_new_with_type(const char *type, GError **error);
gboolean gdk_pixbuf_loader_close(GdkPixbufLoader *loader, GError **error);
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
                   && offsetof(RsvgRectangle, width) == 16 && offsetof(GError, message) == 8
                   && offsetof(GSList, next) == 8,
               "");
#endif
_Static_assert(CAIRO_FORMAT_ARGB32 == 0 && CAIRO_STATUS_SUCCESS == 0, "");

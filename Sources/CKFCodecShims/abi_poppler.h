#pragma once
// The part of the interfaces of poppler's library for GLib, since 0.22, and of cairo and GLib that the
// shim uses, so that building needs none of their headers. Scripts/walls.sh also compiles the shim with
// those.
#ifdef KF_SYSTEM_HEADERS
#include <poppler.h>
#else
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef int gboolean;
typedef void *gpointer;
typedef struct {
    uint32_t domain;
    int code;
    char *message;
} GError;
typedef enum { G_LOG_LEVEL_CRITICAL = 1 << 3 } GLogLevelFlags;
typedef void (*GLogFunc)(const char *domain, GLogLevelFlags level, const char *message, gpointer data);

typedef struct GInputStream GInputStream;
typedef struct GCancellable GCancellable;
typedef struct PopplerDocument PopplerDocument;
typedef struct PopplerPage PopplerPage;
typedef enum { POPPLER_ERROR_ENCRYPTED = 1 } PopplerError;
typedef struct cairo_surface cairo_surface_t;
typedef struct cairo cairo_t;
typedef enum { CAIRO_FORMAT_ARGB32 = 0 } cairo_format_t;
typedef enum { CAIRO_STATUS_SUCCESS = 0, CAIRO_STATUS_NO_MEMORY = 1 } cairo_status_t;

void g_error_free(GError *error);
GLogFunc g_log_set_default_handler(GLogFunc function, gpointer data);
GInputStream *g_memory_input_stream_new_from_data(const void *data, ssize_t size,
                                                  void (*destroy)(gpointer data));
void g_object_unref(gpointer object);
PopplerDocument *poppler_document_new_from_stream(GInputStream *stream, int64_t length,
                                                  const char *password, GCancellable *cancellable,
                                                  GError **error);
uint32_t poppler_error_quark(void);
int poppler_document_get_n_pages(PopplerDocument *document);
PopplerPage *poppler_document_get_page(PopplerDocument *document, int index);
void poppler_page_get_size(PopplerPage *page, double *width, double *height);
void poppler_page_render(PopplerPage *page, cairo_t *cairo);
cairo_surface_t *cairo_image_surface_create_for_data(unsigned char *data, cairo_format_t format,
                                                     int width, int height, int stride);
cairo_status_t cairo_surface_status(cairo_surface_t *surface);
void cairo_surface_finish(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);
cairo_t *cairo_create(cairo_surface_t *surface);
void cairo_destroy(cairo_t *cairo);
cairo_status_t cairo_status(cairo_t *cairo);
void cairo_paint(cairo_t *cairo);
void cairo_scale(cairo_t *cairo, double x, double y);
void cairo_set_source_rgb(cairo_t *cairo, double red, double green, double blue);
#endif

#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(gboolean) == 4 && offsetof(GError, code) == 4
                   && offsetof(GError, message) == 8,
               "");
#endif
_Static_assert(CAIRO_FORMAT_ARGB32 == 0 && CAIRO_STATUS_SUCCESS == 0 && CAIRO_STATUS_NO_MEMORY == 1,
               "");
_Static_assert(POPPLER_ERROR_ENCRYPTED == 1 && G_LOG_LEVEL_CRITICAL == 8, "");

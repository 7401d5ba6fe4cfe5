#include "kf_pdf.h"

#include "abi_poppler.h"
#include "kf_picture_internal.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(DO) \
    DO(cairo_create) \
    DO(cairo_destroy) \
    DO(cairo_image_surface_create_for_data) \
    DO(cairo_paint) \
    DO(cairo_scale) \
    DO(cairo_set_source_rgb) \
    DO(cairo_status) \
    DO(cairo_surface_destroy) \
    DO(cairo_surface_finish) \
    DO(cairo_surface_status) \
    DO(g_error_free) \
    DO(g_log_set_default_handler) \
    DO(g_memory_input_stream_new_from_data) \
    DO(g_object_unref) \
    DO(poppler_document_get_n_pages) \
    DO(poppler_document_get_page) \
    DO(poppler_document_new_from_stream) \
    DO(poppler_error_quark) \
    DO(poppler_page_get_size) \
    DO(poppler_page_render)

static struct {
    FUNCTIONS(KF_FIELD)
} poppler;

struct kf_pdf {
    GInputStream *stream;
    PopplerDocument *document;
};

// poppler brings cairo and GLib.
#define FILL(name) KF_FIND(poppler, name)

static int find_functions(void *library) {
    FUNCTIONS(FILL)
    return 1;
}

// A message about a file would examine the standard streams, which walls forbid.
static void ignore(const char *domain, GLogLevelFlags level, const char *message, gpointer data) {
    (void)domain;
    (void)level;
    (void)message;
    (void)data;
}

static int load(void) {
    // The binary interface for C has had this number since 2012.
    static const char *const files[] = {"libpoppler-glib.so.8", NULL};
    if (!kf_library_load(files, find_functions)) return 0;
    poppler.g_log_set_default_handler(ignore, NULL);
    return 1;
}

int kf_pdf_load(void) {
    // A worker has one thread.
    static int is_loaded, is_installed;
    if (!is_loaded) is_installed = load();
    is_loaded = 1;
    return is_installed;
}

kf_pdf_status kf_pdf_open(const uint8_t *bytes, size_t count, const char *password,
                          kf_pdf **document) {
    *document = NULL;
    if (!kf_pdf_load()) return KF_PDF_NO_LIBRARY;
    kf_pdf *made = calloc(1, sizeof *made);
    if (made == NULL) return KF_PDF_NO_MEMORY;
    GError *error = NULL;
    made->stream = poppler.g_memory_input_stream_new_from_data(bytes, (ssize_t)count, NULL);
    // The functions for bytes in memory crash in poppler 22.12 when a password is wrong.
    made->document = poppler.poppler_document_new_from_stream(made->stream, (int64_t)count,
                                                              password, NULL, &error);
    if (made->document == NULL) {
        int is_encrypted = error != NULL && error->domain == poppler.poppler_error_quark()
            && error->code == POPPLER_ERROR_ENCRYPTED;
        if (error != NULL) poppler.g_error_free(error);
        kf_pdf_close(made);
        return is_encrypted ? KF_PDF_PASSWORD : KF_PDF_DAMAGED;
    }
    *document = made;
    return KF_PDF_OK;
}

void kf_pdf_close(kf_pdf *document) {
    if (document->document != NULL) poppler.g_object_unref(document->document);
    poppler.g_object_unref(document->stream);
    free(document);
}

int kf_pdf_page_count(const kf_pdf *document) {
    int count = poppler.poppler_document_get_n_pages(document->document);
    return count > 0 ? count : 0;
}

static PopplerPage *page(kf_pdf *document, int index) {
    if (index < 0 || index >= kf_pdf_page_count(document)) return NULL;
    return poppler.poppler_document_get_page(document->document, index);
}

// A page that is counted and cannot be read is a damaged one.
static kf_pdf_status missing(kf_pdf *document, int index) {
    return index >= 0 && index < kf_pdf_page_count(document) ? KF_PDF_DAMAGED : KF_PDF_NO_PAGE;
}

kf_pdf_status kf_pdf_page_size(kf_pdf *document, int index, double *width, double *height) {
    PopplerPage *found = page(document, index);
    if (found == NULL) return missing(document, index);
    poppler.poppler_page_get_size(found, width, height);
    poppler.g_object_unref(found);
    int is_sized = isfinite(*width) && isfinite(*height) && *width > 0 && *height > 0;
    return is_sized ? KF_PDF_OK : KF_PDF_DAMAGED;
}

// Converts cairo's words in native byte order to RGBA bytes, in place.
static void reorder(uint8_t *pixels, size_t count) {
    for (size_t index = 0; index < count; index++) {
        uint32_t pixel;
        memcpy(&pixel, pixels + 4 * index, sizeof pixel);
        pixels[4 * index] = (uint8_t)(pixel >> 16);
        pixels[4 * index + 1] = (uint8_t)(pixel >> 8);
        pixels[4 * index + 2] = (uint8_t)pixel;
        pixels[4 * index + 3] = (uint8_t)(pixel >> 24);
    }
}

kf_pdf_status kf_pdf_render(kf_pdf *document, int index, double scale_x, double scale_y,
                            int is_white, uint8_t *pixels, int width, int height) {
    if (width < 1 || height < 1 || width > INT_MAX / 4) return KF_PDF_NO_MEMORY;
    PopplerPage *found = page(document, index);
    if (found == NULL) return missing(document, index);
    memset(pixels, 0, (size_t)width * (size_t)height * 4);
    cairo_surface_t *surface = poppler.cairo_image_surface_create_for_data(
        pixels, CAIRO_FORMAT_ARGB32, width, height, 4 * width);
    cairo_t *cairo = poppler.cairo_create(surface);
    if (is_white) {
        poppler.cairo_set_source_rgb(cairo, 1, 1, 1);
        poppler.cairo_paint(cairo);
    }
    poppler.cairo_scale(cairo, scale_x, scale_y);
    poppler.poppler_page_render(found, cairo);
    cairo_status_t status = poppler.cairo_status(cairo);
    if (status == CAIRO_STATUS_SUCCESS) status = poppler.cairo_surface_status(surface);
    poppler.cairo_destroy(cairo);
    // Nothing is drawn into the pixels after this.
    poppler.cairo_surface_finish(surface);
    poppler.cairo_surface_destroy(surface);
    poppler.g_object_unref(found);
    if (status == CAIRO_STATUS_NO_MEMORY) return KF_PDF_NO_MEMORY;
    if (status != CAIRO_STATUS_SUCCESS) return KF_PDF_DAMAGED;
    reorder(pixels, (size_t)width * (size_t)height);
    return KF_PDF_OK;
}

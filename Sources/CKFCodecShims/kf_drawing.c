#include "kf_drawing.h"

#include "abi_rsvg.h"
#include "kf_fonts.h"
#include "kf_imports.h"
#include "kf_picture_internal.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(DO) \
    DO(g_error_free) \
    DO(g_object_unref) \
    DO(g_strdup) \
    DO(gdk_pixbuf_format_get_name) \
    DO(gdk_pixbuf_get_formats) \
    DO(gdk_pixbuf_loader_close) \
    DO(gdk_pixbuf_loader_new_with_type)

static struct {
    FUNCTIONS(KF_FIELD)
} pixbuf;

// gdk-pixbuf brings GLib.
#define FILL(name) KF_FIND(pixbuf, name)

static int find_functions(void *library) {
    FUNCTIONS(FILL)
    return 1;
}

// --- Bitmaps ---

// What gdk-pixbuf calls in place of g_content_type_guess, which looks into the database of the desktop.
static char *guess(const char *name, const uint8_t *bytes, size_t count, gboolean *is_uncertain) {
    static const struct {
        const char *type;
        size_t start, length;
        const char *bytes;
    } signatures[] = {
        {"image/png", 0, 4, "\x89PNG"},   {"image/jpeg", 0, 3, "\xff\xd8\xff"},
        {"image/gif", 0, 4, "GIF8"},      {"image/webp", 8, 4, "WEBP"},
        {"image/avif", 4, 8, "ftypavif"}, {"image/bmp", 0, 2, "BM"},
        {"image/tiff", 0, 4, "II*\0"},    {"image/tiff", 0, 4, "MM\0*"},
    };
    (void)name;
    if (is_uncertain != NULL) *is_uncertain = 0;
    for (size_t i = 0; bytes != NULL && i < sizeof signatures / sizeof *signatures; i++)
        if (count >= signatures[i].start + signatures[i].length
            && memcmp(bytes + signatures[i].start, signatures[i].bytes, signatures[i].length) == 0)
            return pixbuf.g_strdup(signatures[i].type);
    return pixbuf.g_strdup("application/octet-stream");
}

// Loads the module of each format. Newer versions of librsvg read bitmaps themselves, and do without.
static void prepare_bitmaps(void) {
    void *library = dlopen("libgdk_pixbuf-2.0.so.0", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL || !find_functions(library)) return;
    for (GSList *format = pixbuf.gdk_pixbuf_get_formats(); format != NULL; format = format->next) {
        char *name = pixbuf.gdk_pixbuf_format_get_name(format->data);
        GdkPixbufLoader *loader =
            name != NULL ? pixbuf.gdk_pixbuf_loader_new_with_type(name, NULL) : NULL;
        if (loader == NULL) continue;
        // Closing a loader that got nothing is an error.
        GError *error = NULL;
        pixbuf.gdk_pixbuf_loader_close(loader, &error);
        if (error != NULL) pixbuf.g_error_free(error);
        pixbuf.g_object_unref(loader);
    }
    static const kf_import import = {"libgdk_pixbuf", "g_content_type_guess", (void *)guess};
    kf_imports_replace(&import, 1);
}

// --- Drawing ---

static void count(void *rows, const void *row) {
    (void)row;
    *(int *)rows += 1;
}

static void draw(const char *text) {
    kf_picture *picture =
        kf_picture_create(KF_PICTURE_SVG, (const uint8_t *)text, strlen(text), 1 << 20, 1 << 10);
    if (picture == NULL) return;
    kf_picture_info info;
    int rows = 0;
    if (kf_picture_read_header(picture, &info) == KF_PICTURE_OK)
        kf_picture_read_rows(picture, info.width, info.height, count, &rows);
    kf_picture_destroy(picture);
}

#define BEGINNING \
    "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'" \
    " width='9' height='9'>"

void kf_drawing_prepare(void) {
    // One, whatever the number of cores is.
    setenv("RAYON_NUM_THREADS", "1", 1);
    prepare_bitmaps();
    kf_fonts_prepare();
    // Locales and the name of the program, dictionaries of languages without spaces, a bitmap of each kind.
    draw(BEGINNING "<rect width='1' height='1'/><switch><g systemLanguage='de'/></switch>"
         "<text y='2'>a</text><text y='2' xml:lang='ja' font-family='serif'>\xe7\x9b\xb4</text>"
         "<text y='2'>\xe0\xb9\x84\xe0\xb8\x97\xe0\xb8\xa2 \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d</text>"
         "<image width='1' height='1' xlink:href='data:image/svg+xml;base64,"
         "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4='/>"
         "<image width='1' height='1' xlink:href='data:image/png;base64,"
         "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg=='/>"
         "</svg>");
}

void kf_drawing_start_threads(void) {
    // The thread has no memory of its own to allocate from, for which the C library would count the cores.
    mallopt(M_ARENA_MAX, 1);
    // A small deviation needs no thread.
    draw(BEGINNING "<filter id='f'><feGaussianBlur stdDeviation='4'/></filter>"
         "<rect width='9' height='9' filter='url(#f)'/></svg>");
}

#include "kf_chafa.h"

#include "abi_chafa.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(DO) \
    DO(chafa_canvas_config_new) \
    DO(chafa_canvas_config_set_canvas_mode) \
    DO(chafa_canvas_config_set_cell_geometry) \
    DO(chafa_canvas_config_set_geometry) \
    DO(chafa_canvas_config_set_pixel_mode) \
    DO(chafa_canvas_config_set_symbol_map) \
    DO(chafa_canvas_config_unref) \
    DO(chafa_canvas_draw_all_pixels) \
    DO(chafa_canvas_new) \
    DO(chafa_canvas_print) \
    DO(chafa_canvas_unref) \
    DO(chafa_symbol_map_add_by_tags) \
    DO(chafa_symbol_map_new) \
    DO(chafa_symbol_map_unref) \
    DO(chafa_term_db_get_default) \
    DO(chafa_term_db_get_fallback_info) \
    DO(chafa_term_info_unref)
#define FIELD(name) __typeof__(name) *name;
#define FIND(name) \
    if ((chafa.name = (__typeof__(name) *)dlsym(library, #name)) == NULL) return 0;

static struct {
    FUNCTIONS(FIELD)
} chafa;

// A macro in some versions of GLib's header.
static char *(*free_string)(GString *text, int frees);

int kf_chafa_load(void) {
    void *library = dlopen("libchafa.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 0;
    FUNCTIONS(FIND)
    free_string = (char *(*)(GString *, int))dlsym(library, "g_string_free");
    return free_string != NULL;
}

static ChafaCanvas *canvas_of(kf_chafa_drawing drawing) {
    ChafaCanvasConfig *config = chafa.chafa_canvas_config_new();
    ChafaSymbolMap *symbols = chafa.chafa_symbol_map_new();
    chafa.chafa_symbol_map_add_by_tags(
        symbols, drawing.colors == KF_CHAFA_NO_COLORS
                     ? CHAFA_SYMBOL_TAG_ASCII
                     : (ChafaSymbolTags)(CHAFA_SYMBOL_TAG_SPACE | CHAFA_SYMBOL_TAG_BLOCK));
    chafa.chafa_canvas_config_set_geometry(config, drawing.columns, drawing.rows);
    chafa.chafa_canvas_config_set_cell_geometry(config, drawing.cell_width, drawing.cell_height);
    chafa.chafa_canvas_config_set_pixel_mode(config, (ChafaPixelMode)drawing.protocol);
    chafa.chafa_canvas_config_set_canvas_mode(config, (ChafaCanvasMode)drawing.colors);
    chafa.chafa_canvas_config_set_symbol_map(config, symbols);
    ChafaCanvas *canvas = chafa.chafa_canvas_new(config);
    chafa.chafa_symbol_map_unref(symbols);
    chafa.chafa_canvas_config_unref(config);
    return canvas;
}

char *kf_chafa_draw(kf_chafa_drawing drawing, const uint8_t *pixels, size_t *count) {
    ChafaCanvas *canvas = canvas_of(drawing);
    chafa.chafa_canvas_draw_all_pixels(canvas, CHAFA_PIXEL_RGBA8_PREMULTIPLIED, pixels,
                                       drawing.width, drawing.height, drawing.width * 4);
    // The caller has chosen the protocol; this terminal knows all of them.
    ChafaTermInfo *terminal =
        chafa.chafa_term_db_get_fallback_info(chafa.chafa_term_db_get_default());
    GString *text = chafa.chafa_canvas_print(canvas, terminal);
    char *copy = malloc(text->len + 1);
    if (copy != NULL) {
        memcpy(copy, text->str, text->len + 1);
        *count = text->len;
    }
    free_string(text, 1);
    chafa.chafa_term_info_unref(terminal);
    chafa.chafa_canvas_unref(canvas);
    return copy;
}

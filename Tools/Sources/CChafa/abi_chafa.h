#pragma once
// The part of libchafa's interface that is used, since 1.8, so that building needs none of its
// headers. Scripts/walls.sh also compiles the shim with those.
#ifdef KF_SYSTEM_HEADERS
#include <chafa.h>
#else
#include <stddef.h>
#include <stdint.h>

typedef struct ChafaCanvas ChafaCanvas;
typedef struct ChafaCanvasConfig ChafaCanvasConfig;
typedef struct ChafaSymbolMap ChafaSymbolMap;
typedef struct ChafaTermDb ChafaTermDb;
typedef struct ChafaTermInfo ChafaTermInfo;
typedef enum {
    CHAFA_PIXEL_MODE_SYMBOLS,
    CHAFA_PIXEL_MODE_SIXELS,
    CHAFA_PIXEL_MODE_KITTY,
    CHAFA_PIXEL_MODE_ITERM2
} ChafaPixelMode;
typedef enum {
    CHAFA_CANVAS_MODE_TRUECOLOR,
    CHAFA_CANVAS_MODE_INDEXED_240 = 2,
    CHAFA_CANVAS_MODE_FGBG = 5
} ChafaCanvasMode;
typedef enum { CHAFA_PIXEL_RGBA8_PREMULTIPLIED } ChafaPixelType;
typedef enum {
    CHAFA_SYMBOL_TAG_SPACE = 1 << 0,
    CHAFA_SYMBOL_TAG_BLOCK = 1 << 3,
    CHAFA_SYMBOL_TAG_ASCII = 1 << 14
} ChafaSymbolTags;
typedef struct {
    char *str;
    size_t len;
    size_t allocated_len;
} GString;

ChafaCanvasConfig *chafa_canvas_config_new(void);
void chafa_canvas_config_unref(ChafaCanvasConfig *config);
void chafa_canvas_config_set_geometry(ChafaCanvasConfig *config, int width, int height);
void chafa_canvas_config_set_cell_geometry(ChafaCanvasConfig *config, int width, int height);
void chafa_canvas_config_set_pixel_mode(ChafaCanvasConfig *config, ChafaPixelMode mode);
void chafa_canvas_config_set_canvas_mode(ChafaCanvasConfig *config, ChafaCanvasMode mode);
void chafa_canvas_config_set_symbol_map(ChafaCanvasConfig *config, const ChafaSymbolMap *map);
ChafaSymbolMap *chafa_symbol_map_new(void);
void chafa_symbol_map_add_by_tags(ChafaSymbolMap *map, ChafaSymbolTags tags);
void chafa_symbol_map_unref(ChafaSymbolMap *map);
ChafaCanvas *chafa_canvas_new(const ChafaCanvasConfig *config);
void chafa_canvas_unref(ChafaCanvas *canvas);
void chafa_canvas_draw_all_pixels(ChafaCanvas *canvas, ChafaPixelType type, const uint8_t *pixels,
                                  int width, int height, int stride);
GString *chafa_canvas_print(ChafaCanvas *canvas, ChafaTermInfo *terminal);
ChafaTermDb *chafa_term_db_get_default(void);
ChafaTermInfo *chafa_term_db_get_fallback_info(ChafaTermDb *database);
void chafa_term_info_unref(ChafaTermInfo *terminal);
char *g_string_free(GString *text, int frees);
#endif

_Static_assert(CHAFA_PIXEL_MODE_SYMBOLS == 0 && CHAFA_PIXEL_MODE_SIXELS == 1
                   && CHAFA_PIXEL_MODE_KITTY == 2 && CHAFA_PIXEL_MODE_ITERM2 == 3
                   && CHAFA_CANVAS_MODE_TRUECOLOR == 0 && CHAFA_CANVAS_MODE_INDEXED_240 == 2
                   && CHAFA_CANVAS_MODE_FGBG == 5 && CHAFA_PIXEL_RGBA8_PREMULTIPLIED == 0
                   && CHAFA_SYMBOL_TAG_SPACE == 1 && CHAFA_SYMBOL_TAG_BLOCK == 8
                   && CHAFA_SYMBOL_TAG_ASCII == 1 << 14,
               "");
_Static_assert(offsetof(GString, len) == sizeof(char *), "");

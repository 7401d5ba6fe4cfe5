#pragma once
#include <stddef.h>
#include <stdint.h>

// Drawing in terminals by libchafa, which is loaded when it is needed.

// The values are those of ChafaPixelMode.
typedef enum kf_chafa_protocol {
    KF_CHAFA_SYMBOLS = 0,
    KF_CHAFA_SIXELS = 1,
    KF_CHAFA_KITTY = 2,
    KF_CHAFA_ITERM = 3,
} kf_chafa_protocol;

// The values are those of ChafaCanvasMode.
typedef enum kf_chafa_colors {
    KF_CHAFA_TRUE_COLOR = 0,
    KF_CHAFA_240_COLORS = 2,
    KF_CHAFA_NO_COLORS = 5,
} kf_chafa_colors;

typedef struct kf_chafa_drawing {
    kf_chafa_protocol protocol;
    kf_chafa_colors colors;
    // Cells, and the pixels of a cell.
    int columns, rows;
    int cell_width, cell_height;
    // Of the image.
    int width, height;
} kf_chafa_drawing;

// Loads the library; returns whether it is installed. Call it once, before kf_chafa_draw.
int kf_chafa_load(void);

// Draws packed rows of premultiplied RGBA. The text comes from malloc; NULL if memory cannot be
// allocated.
char *_Nullable kf_chafa_draw(kf_chafa_drawing drawing, const uint8_t *_Nonnull pixels,
                              size_t *_Nonnull count);

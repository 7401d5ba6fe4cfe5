#pragma once
// Shared by the integer and the float blend modes: a row, eight pixels at a time, with the source
// multiplied by its opacity.
#include "vectors.h"

#if defined(__x86_64__) || defined(__aarch64__)

#define INLINE TWIN static inline __attribute__((always_inline))

/// Blends eight pixels with one of the modes; defined by the including file.
INLINE Pixels blended(Pixels source, Pixels backdrop, int mode);

INLINE void blend(const uint8_t *source, uint8_t *backdrop, int width, int opacity, int mode) {
    const Words strength = (Words){0} + (uint16_t)opacity;
    for (int x = 0; x < width; x += 8) {
        int count = width - x < 8 ? width - x : 8;
        Pixels top = load_pixels(source + x * 4, count);
        if (opacity < 255)
            top = divided_by_255(even_bytes(top) * strength, odd_bytes(top) * strength);
        Pixels bottom = load_pixels(backdrop + x * 4, count);
        store_pixels(blended(top, bottom, mode), backdrop + x * 4, count);
    }
}

// One loop per mode, so that the mode is not tested for every pixel.
#define ROW(MODE) \
    case MODE: blend(source, backdrop, width, opacity, MODE); return 1

#endif

#pragma once
#include <stdint.h>

static inline int16_t kf_saturated(int32_t value) {
    return (int16_t)(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
}

/// Rounds a pixel of 9.6 fixed point, to which half is added already.
///
/// Alpha is rounded first, and limited to 255. The colours of a translucent pixel change by the same
/// factor as its alpha, so that only their own rounding changes the colour. Vectors do the same
/// arithmetic.
static inline void kf_round_pixel(const int16_t *fixed, int16_t *pixel) {
    for (int c = 0; c < 4; c++) pixel[c] = fixed[c] >> 6;
    int alpha = pixel[3];
    if (alpha <= 0 || alpha == 255) return;
    int exact = fixed[3] - 32, rounded = (alpha < 255 ? alpha : 255) * 64;
    int factor = (int)__builtin_lrintf((float)(rounded - exact) * 32767 / (float)exact);
    for (int c = 0; c < 4; c++) {
        int change = ((fixed[c] - 32) * factor + (1 << 14)) >> 15;
        pixel[c] = kf_saturated(fixed[c] + change) >> 6;
    }
}

/// The vertical pass for the values that fill no vector; `from` and `count` are multiples of 4.
static inline void kf_columns_tail(const int16_t *const *rows, const int16_t *weights, int taps,
                                   uint8_t *out, int from, int count, int clamp_to_alpha) {
    for (int i = from; i < count; i += 4) {
        int16_t fixed[4], pixel[4];
        for (int c = 0; c < 4; c++) {
            int32_t sum = 1 << 19;
            for (int t = 0; t < taps; t++) sum += (int32_t)rows[t][i + c] * weights[t];
            fixed[c] = kf_saturated(sum >> 14);
            pixel[c] = fixed[c] >> 6;
        }
        if (clamp_to_alpha) kf_round_pixel(fixed, pixel);
        for (int c = 0; c < 4; c++)
            out[i + c] = (uint8_t)(pixel[c] < 0 ? 0 : pixel[c] > 255 ? 255 : pixel[c]);
        if (!clamp_to_alpha) continue;
        for (int c = 0; c < 3; c++)
            if (out[i + c] > out[i + 3]) out[i + c] = out[i + 3];
    }
}

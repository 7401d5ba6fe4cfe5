#pragma once
#include <stdint.h>

/// Divides the colours of a pixel, and its alpha, by the excess of its alpha over 255, so that the
/// colour stays that of the unlimited pixel. Vectors do the same arithmetic.
static inline void kf_limit_excess(int16_t *pixel) {
    if (pixel[3] <= 255) return;
    float factor = 255 / (float)pixel[3];
    for (int c = 0; c < 4; c++) pixel[c] = (int16_t)__builtin_lrintf((float)pixel[c] * factor);
}

/// The vertical pass for the values that fill no vector; `from` and `count` are multiples of 4.
static inline void kf_columns_tail(const int16_t *const *rows, const int16_t *weights, int taps,
                                   uint8_t *out, int from, int count, int clamp_to_alpha) {
    for (int i = from; i < count; i += 4) {
        int16_t pixel[4];
        for (int c = 0; c < 4; c++) {
            int32_t sum = 1 << 19;
            for (int t = 0; t < taps; t++) sum += (int32_t)rows[t][i + c] * weights[t];
            pixel[c] = (int16_t)(sum >> 20);
        }
        if (clamp_to_alpha) kf_limit_excess(pixel);
        for (int c = 0; c < 4; c++)
            out[i + c] = (uint8_t)(pixel[c] < 0 ? 0 : pixel[c] > 255 ? 255 : pixel[c]);
        if (!clamp_to_alpha) continue;
        for (int c = 0; c < 3; c++)
            if (out[i + c] > out[i + 3]) out[i + c] = out[i + 3];
    }
}

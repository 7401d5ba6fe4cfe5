#pragma once
#include <stdint.h>

/// Whether this processor supports the twins below: AVX2, or NEON on arm64.
int kf_has_twins(void);

#if defined(__x86_64__) || defined(__aarch64__)
/// Rearranges a row of RGBA8 for ``kf_convolve_row``: for each four pixels all reds, all greens,
/// all blues, all alphas. Pixels missing from the last four are zero.
void kf_spread_row(const uint8_t *source, int length, int16_t *out);

/// Horizontal pass: from a spread row to signed 9.6 fixed point. `taps` and all `starts` are
/// multiples of 4; tap t of output x reads source pixel starts[x] + t, which must be readable.
void kf_convolve_row(const int16_t *spread, const int32_t *starts, const int16_t *weights,
                     int taps, int width, int16_t *out);

/// Vertical pass: from `taps` rows of 9.6 fixed point to `count` bytes of RGBA8, a multiple of 4.
/// With `clamp_to_alpha`, no colour exceeds its pixel's alpha, and a pixel whose alpha exceeds 255
/// keeps its colour.
void kf_convolve_columns(const int16_t *const *rows, const int16_t *weights, int taps,
                         uint8_t *out, int count, int clamp_to_alpha);

/// One box pass down a strip of 64 bytes per row, with extended edges. `size` is odd, 3...127;
/// `rows` is at least 1. The strips must not overlap.
void kf_box_strip(const uint8_t *from, uint8_t *to, int rows, int size);

/// Writes the first `columns` pixels, at most 16, of a strip of 64 bytes per row as rows of `out`.
void kf_transpose_strip(const uint8_t *strip, int rows, int columns, uint8_t *out,
                        intptr_t bytes_per_row);

/// One row of RGBA8: each pixel times `factor` plus `color` times the pixel's alpha (with
/// `by_shape`) or 255, divided by 255. The sum must not exceed 255 × 255.
void kf_mix_row(const uint8_t *from, uint8_t *to, int width, uint32_t color, int factor,
                int by_shape);

/// Applies a colour matrix to one row of RGBA8. `rows` has four factors each for red, green and
/// blue, the fourth for alpha; with `is_grey`, the first four make all colours. Results are clamped
/// to 0...alpha.
void kf_matrix_row(const uint8_t *from, uint8_t *to, int width, const float *rows, int is_grey);

/// Multiplies the colours of a row of RGBA8 by their alpha, rounded to nearest; `to` may be `from`.
void kf_premultiply_row(const uint8_t *from, uint8_t *to, intptr_t width);

/// Divides the colours of a row of RGBA8 by their alpha, rounded to nearest, at most 255; `to` may
/// be `from`. Transparent pixels become zero.
void kf_unpremultiply_row(const uint8_t *from, uint8_t *to, intptr_t width);

/// Blends a row of RGBA8 onto another in place. `mode` is a raw value of Swift's `BlendMode`,
/// `opacity` that of the source, 0...255. Returns 0 and does nothing for other modes.
int kf_blend_row(const uint8_t *source, uint8_t *backdrop, int width, int mode, int opacity);
#endif

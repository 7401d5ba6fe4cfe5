#pragma once
#include <stdint.h>

/// Whether this processor has what the twins below are written for: AVX2, or NEON on arm64.
int kf_has_twins(void);

#if defined(__x86_64__) || defined(__aarch64__)
/// Lays a row of RGBA8 out for ``kf_convolve_row``: of each four pixels all reds, all greens, all
/// blues, all alphas. Pixels that the last four lack are clear.
void kf_spread_row(const uint8_t *source, int length, int16_t *out);

/// Horizontal pass: a spread row in, signed 9.6 fixed point out. `taps` and all `starts` are
/// multiples of 4; tap t of output x reads source pixel starts[x] + t, which must be readable.
void kf_convolve_row(const int16_t *spread, const int32_t *starts, const int16_t *weights,
                     int taps, int width, int16_t *out);

/// Vertical pass: `taps` rows of 9.6 fixed point in, `count` bytes of RGBA8 out. With
/// `clamp_to_alpha` no colour exceeds its pixel's alpha.
void kf_convolve_columns(const int16_t *const *rows, const int16_t *weights, int taps,
                         uint8_t *out, int count, int clamp_to_alpha);

/// One box pass down a strip of 64 bytes a row, edges extended. `size` is odd, 3...127; `rows` is
/// at least 1. The strips must not overlap.
void kf_box_strip(const uint8_t *from, uint8_t *to, int rows, int size);

/// Writes the first `columns` pixels, up to 16, of a strip of 64 bytes a row as rows of `out`.
void kf_transpose_strip(const uint8_t *strip, int rows, int columns, uint8_t *out,
                        intptr_t bytes_per_row);

/// One row of RGBA8: each pixel times `factor`, and `color` times the pixel's alpha with `by_shape`,
/// else times 255; both divided by 255 together. The sum must not exceed 255 × 255.
void kf_mix_row(const uint8_t *from, uint8_t *to, int width, uint32_t color, int factor,
                int by_shape);

/// One row of RGBA8 through a colour matrix: `rows` has four factors each for red, green and blue,
/// the fourth for alpha; with `is_grey` the first four make all colours. Held to 0...alpha.
void kf_matrix_row(const uint8_t *from, uint8_t *to, int width, const float *rows, int is_grey);

/// Blends a row of RGBA8 onto another in place. `mode` is the number of Swift's `BlendMode`,
/// `opacity` of the source 0...255. Does nothing and gives 0 for another number.
int kf_blend_row(const uint8_t *source, uint8_t *backdrop, int width, int mode, int opacity);
#endif

#pragma once
#include <stdint.h>

/// Whether this processor has AVX2, and with it the twins below.
int kf_has_avx2(void);

#if defined(__x86_64__)
/// Horizontal pass: RGBA8 in, signed 9.6 fixed point out. `taps` is a multiple of 4; tap t of
/// output x reads source pixel starts[x] + t, which must lie inside the row.
void kf_convolve_row_avx2(const uint8_t *source, const int32_t *starts, const int16_t *weights,
                          int taps, int width, int16_t *out);

/// Vertical pass: `taps` rows of 9.6 fixed point in, `count` bytes of RGBA8 out. With
/// `clamp_to_alpha` no colour exceeds its pixel's alpha.
void kf_convolve_columns_avx2(const int16_t *const *rows, const int16_t *weights, int taps,
                              uint8_t *out, int count, int clamp_to_alpha);
#endif

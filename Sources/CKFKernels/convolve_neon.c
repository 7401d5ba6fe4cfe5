#include "CKFKernels.h"
#include "convolve_tail.h"

#if defined(__aarch64__)
#include <arm_neon.h>

void kf_spread_row(const uint8_t *source, int length, int16_t *out) {
    static const uint8_t indices[16] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15};
    const uint8x16_t channels = vld1q_u8(indices);
    for (int x = 0; x < length; x += 4) {
        uint8_t last[16] = {0};
        const uint8_t *from = source + (intptr_t)x * 4;
        if (x + 4 > length) {
            __builtin_memcpy(last, from, (unsigned)(length - x) * 4);
            from = last;
        }
        uint8x16_t four = vqtbl1q_u8(vld1q_u8(from), channels);
        int16_t *place = out + (intptr_t)x * 4;
        vst1q_s16(place, vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(four))));
        vst1q_s16(place + 8, vreinterpretq_s16_u16(vmovl_u8(vget_high_u8(four))));
    }
}

void kf_convolve_row(const int16_t *spread, const int32_t *starts, const int16_t *weights,
                     int taps, int width, int16_t *out) {
    for (int x = 0; x < width; x++) {
        const int16_t *pixels = spread + (intptr_t)starts[x] * 4;
        const int16_t *tap = weights + (intptr_t)x * taps;
        int32x4_t red = vdupq_n_s32(0), green = red, blue = red, alpha = red;
        for (int t = 0; t < taps; t += 4) {
            int16x4_t w = vld1_s16(tap + t);
            int16x8_t low = vld1q_s16(pixels + t * 4), high = vld1q_s16(pixels + t * 4 + 8);
            red = vmlal_s16(red, vget_low_s16(low), w);
            green = vmlal_s16(green, vget_high_s16(low), w);
            blue = vmlal_s16(blue, vget_low_s16(high), w);
            alpha = vmlal_s16(alpha, vget_high_s16(high), w);
        }
        int32x4_t sum = vpaddq_s32(vpaddq_s32(red, green), vpaddq_s32(blue, alpha));
        sum = vaddq_s32(sum, vdupq_n_s32(1 << 7));
        vst1_s16(out + (intptr_t)x * 4, vqshrn_n_s32(sum, 8));
    }
}

/// Eight columns: sums of 9.6 × Q14 with half of `1 << 20` added, back in 9.6.
static inline int16x8_t column_block(const int16_t *const *rows, const int16_t *weights,
                                     int taps, int i) {
    int32x4_t low = vdupq_n_s32(1 << 19), high = low;
    for (int t = 0; t < taps; t++) {
        int16x8_t values = vld1q_s16(rows[t] + i);
        low = vmlal_n_s16(low, vget_low_s16(values), weights[t]);
        high = vmlal_n_s16(high, vget_high_s16(values), weights[t]);
    }
    return vcombine_s16(vqmovn_s32(vshrq_n_s32(low, 14)), vqmovn_s32(vshrq_n_s32(high, 14)));
}

/// The change of a pixel in units of 1 / 32,767; see kf_round_pixel.
static inline int16_t change_of(int16_t fixed, int16_t pixel) {
    if (pixel <= 0 || pixel == 255) return 0;
    int exact = fixed - 32, rounded = (pixel < 255 ? pixel : 255) * 64;
    return (int16_t)__builtin_lrintf((float)(rounded - exact) * 32767 / (float)exact);
}

/// Two pixels rounded. Most are opaque or empty.
static inline int16x8_t rounded_pixels(int16x8_t fixed) {
    int16x8_t pixels = vshrq_n_s16(fixed, 6);
    int16_t first = change_of(vgetq_lane_s16(fixed, 3), vgetq_lane_s16(pixels, 3));
    int16_t second = change_of(vgetq_lane_s16(fixed, 7), vgetq_lane_s16(pixels, 7));
    if ((first | second) == 0) return pixels;
    int16x8_t factors = vcombine_s16(vdup_n_s16(first), vdup_n_s16(second));
    int16x8_t changes = vqrdmulhq_s16(vsubq_s16(fixed, vdupq_n_s16(32)), factors);
    return vshrq_n_s16(vqaddq_s16(fixed, changes), 6);
}

void kf_convolve_columns(const int16_t *const *rows, const int16_t *weights, int taps,
                         uint8_t *out, int count, int clamp_to_alpha) {
    static const uint8_t alpha_indices[16] = {3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15,
                                              15};
    const uint8x16_t alphas = vld1q_u8(alpha_indices);
    int i = 0;
    for (; i + 16 <= count; i += 16) {
        int16x8_t a = column_block(rows, weights, taps, i);
        int16x8_t b = column_block(rows, weights, taps, i + 8);
        a = clamp_to_alpha ? rounded_pixels(a) : vshrq_n_s16(a, 6);
        b = clamp_to_alpha ? rounded_pixels(b) : vshrq_n_s16(b, 6);
        uint8x16_t bytes = vcombine_u8(vqmovun_s16(a), vqmovun_s16(b));
        if (clamp_to_alpha) bytes = vminq_u8(bytes, vqtbl1q_u8(bytes, alphas));
        vst1q_u8(out + i, bytes);
    }
    kf_columns_tail(rows, weights, taps, out, i, count, clamp_to_alpha);
}
#endif

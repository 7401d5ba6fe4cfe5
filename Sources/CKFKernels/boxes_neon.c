#include "CKFKernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>

enum { STRIP = 64 };

static inline int held(int row, int last) { return row < 0 ? 0 : row > last ? last : row; }

static inline uint16x8_t even_bytes(uint16x8_t words) {
    return vandq_u16(words, vdupq_n_u16(0xFF));
}

static inline uint16x8_t odd_bytes(uint16x8_t words) { return vshrq_n_u16(words, 8); }

static inline uint16x8_t load(const uint8_t *row) { return vreinterpretq_u16_u8(vld1q_u8(row)); }

static inline uint16x8_t high_product(uint16x8_t sums, uint16_t factor) {
    return vcombine_u16(vshrn_n_u32(vmull_n_u16(vget_low_u16(sums), factor), 16),
                        vshrn_n_u32(vmull_n_u16(vget_high_u16(sums), factor), 16));
}

// The same arithmetic as the AVX2 twin, a quarter of the strip at a time.
void kf_box_strip(const uint8_t *from, uint8_t *to, int rows, int size) {
    const int last = rows - 1, radius = size / 2;
    const uint16_t factor = (uint16_t)((65536 + size - 1) / size);
    for (int column = 0; column < STRIP; column += 16) {
        const uint8_t *in = from + column;
        uint16x8_t even = vmlaq_n_u16(vdupq_n_u16((uint16_t)radius), even_bytes(load(in)),
                                      (uint16_t)(radius + 1));
        uint16x8_t odd = vmlaq_n_u16(vdupq_n_u16((uint16_t)radius), odd_bytes(load(in)),
                                     (uint16_t)(radius + 1));
        for (int y = 1; y <= radius; y++) {
            uint16x8_t words = load(in + (intptr_t)held(y, last) * STRIP);
            even = vaddq_u16(even, even_bytes(words));
            odd = vaddq_u16(odd, odd_bytes(words));
        }
        for (int y = 0; y < rows; y++) {
            uint16x8_t mean = vsliq_n_u16(high_product(even, factor), high_product(odd, factor), 8);
            vst1q_u8(to + (intptr_t)y * STRIP + column, vreinterpretq_u8_u16(mean));
            uint16x8_t plus = load(in + (intptr_t)held(y + radius + 1, last) * STRIP);
            uint16x8_t minus = load(in + (intptr_t)held(y - radius, last) * STRIP);
            even = vaddq_u16(even, vsubq_u16(even_bytes(plus), even_bytes(minus)));
            odd = vaddq_u16(odd, vsubq_u16(odd_bytes(plus), odd_bytes(minus)));
        }
    }
}

void kf_transpose_strip(const uint8_t *strip, int rows, int columns, uint8_t *out,
                        intptr_t bytes_per_row) {
    int y = 0;
    for (; y + 4 <= rows; y += 4) {
        for (int x = 0; x < columns; x++) {
            const uint8_t *pixel = strip + (intptr_t)y * STRIP + x * 4;
            uint32x4_t four = vdupq_n_u32(0);
            four = vld1q_lane_u32((const uint32_t *)pixel, four, 0);
            four = vld1q_lane_u32((const uint32_t *)(pixel + STRIP), four, 1);
            four = vld1q_lane_u32((const uint32_t *)(pixel + 2 * STRIP), four, 2);
            four = vld1q_lane_u32((const uint32_t *)(pixel + 3 * STRIP), four, 3);
            vst1q_u32((uint32_t *)(out + x * bytes_per_row + (intptr_t)y * 4), four);
        }
    }
    for (; y < rows; y++)
        for (int x = 0; x < columns; x++)
            __builtin_memcpy(out + x * bytes_per_row + (intptr_t)y * 4,
                             strip + (intptr_t)y * STRIP + x * 4, 4);
}
#endif

#pragma once
// Eight pixels at a time in the vector types that GCC and Clang support on every processor: 32
// bytes are one register with AVX2 and two with NEON.
#include "CKFKernels.h"

#if defined(__x86_64__) || defined(__aarch64__)

#if defined(__x86_64__)
#include <immintrin.h>
#define TWIN __attribute__((target("avx2")))
#else
#include <arm_neon.h>
#define TWIN
#endif

typedef uint32_t Pixels __attribute__((vector_size(32)));
typedef uint16_t Words __attribute__((vector_size(32)));
typedef float Floats __attribute__((vector_size(32)));
typedef int32_t Signs __attribute__((vector_size(32)));

/// Reads up to eight pixels; missing ones are zero.
TWIN static inline Pixels load_pixels(const uint8_t *from, int count) {
    Pixels result = {0};
    if (count >= 8) {
        __builtin_memcpy(&result, from, 32);
    } else {
        __builtin_memcpy(&result, from, (unsigned)count * 4);
    }
    return result;
}

TWIN static inline void store_pixels(Pixels value, uint8_t *to, int count) {
    if (count >= 8) {
        __builtin_memcpy(to, &value, 32);
    } else {
        __builtin_memcpy(to, &value, (unsigned)count * 4);
    }
}

// Red and blue in 16 bits each; green and alpha likewise.
TWIN static inline Words even_bytes(Pixels p) { return (Words)(p & 0x00FF00FF); }
TWIN static inline Words odd_bytes(Pixels p) { return (Words)((p >> 8) & 0x00FF00FF); }

/// Each pixel's alpha in both of its words.
TWIN static inline Words alphas_of(Pixels p) {
    Pixels alpha = p >> 24;
    return (Words)(alpha | alpha << 16);
}

/// Pixels from words of up to 255 × 255, divided by 255 and rounded to nearest.
TWIN static inline Pixels divided_by_255(Words even, Words odd) {
    even += 128;
    odd += 128;
    return (Pixels)((even + (even >> 8)) >> 8) | (Pixels)((odd + (odd >> 8)) & 0xFF00);
}

// 2²³: from here on, floats have a step of 1 and hold the integer in their low bits.
#define MAGIC 8388608.0f

TWIN static inline Floats floats_of(Pixels bytes) {
    return (Floats)(bytes | 0x4B000000) - MAGIC;
}

/// Rounded to nearest.
TWIN static inline Pixels bytes_of(Floats value) { return (Pixels)(value + MAGIC) & 0xFF; }

TWIN static inline Floats least(Floats a, Floats b) {
    Signs less = a < b;
    return (Floats)(((Signs)a & less) | ((Signs)b & ~less));
}

TWIN static inline Floats most(Floats a, Floats b) {
    Signs more = a > b;
    return (Floats)(((Signs)a & more) | ((Signs)b & ~more));
}

TWIN static inline Floats square_roots(Floats value) {
#if defined(__x86_64__)
    return (Floats)_mm256_sqrt_ps((__m256)value);
#else
    float32x4_t half[2];
    __builtin_memcpy(half, &value, sizeof half);
    half[0] = vsqrtq_f32(half[0]);
    half[1] = vsqrtq_f32(half[1]);
    __builtin_memcpy(&value, half, sizeof half);
    return value;
#endif
}

/// ``kf_blend_row`` for the modes that need floats.
int kf_blend_row_in_floats(const uint8_t *source, uint8_t *backdrop, int width, int mode,
                           int opacity);
#endif

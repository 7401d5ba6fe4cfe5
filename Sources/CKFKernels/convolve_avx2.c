#include "CKFKernels.h"
#include "convolve_tail.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 void kf_spread_row(const uint8_t *source, int length, int16_t *out) {
    const __m128i channels = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    for (int x = 0; x < length; x += 4) {
        __m128i four = _mm_setzero_si128();
        if (x + 4 <= length) {
            four = _mm_loadu_si128((const __m128i *)(source + (intptr_t)x * 4));
        } else {
            __builtin_memcpy(&four, source + (intptr_t)x * 4, (unsigned)(length - x) * 4);
        }
        __m256i wide = _mm256_cvtepu8_epi16(_mm_shuffle_epi8(four, channels));
        _mm256_storeu_si256((__m256i *)(out + (intptr_t)x * 4), wide);
    }
}

/// Adds four taps to the two partial sums of each channel of one output.
AVX2 static inline __m256i add_four(__m256i sums, const int16_t *pixels, const int16_t *weights) {
    __m256i four = _mm256_loadu_si256((const __m256i *)pixels);
    __m256i factors = _mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)weights));
    return _mm256_add_epi32(sums, _mm256_madd_epi16(four, factors));
}

/// Reduces two outputs: red and green of both in the lower half, blue and alpha in the upper.
AVX2 static inline __m256i rounded(__m256i one, __m256i other) {
    const __m256i half = _mm256_set1_epi32(1 << 7);
    return _mm256_srai_epi32(_mm256_add_epi32(_mm256_hadd_epi32(one, other), half), 8);
}

AVX2 void kf_convolve_row(const int16_t *spread, const int32_t *starts, const int16_t *weights,
                          int taps, int width, int16_t *out) {
    int x = 0;
    for (; x + 4 <= width; x += 4) {
        // Four outputs interleaved, so that none waits for its own sum.
        const int16_t *tap = weights + (intptr_t)x * taps;
        const int16_t *pixels[4];
        __m256i sums[4];
        for (int i = 0; i < 4; i++) {
            pixels[i] = spread + (intptr_t)starts[x + i] * 4;
            sums[i] = _mm256_setzero_si256();
        }
        for (int t = 0; t < taps; t += 4)
            for (int i = 0; i < 4; i++)
                sums[i] = add_four(sums[i], pixels[i] + t * 4, tap + i * taps + t);
        __m256i packed = _mm256_packs_epi32(rounded(sums[0], sums[1]), rounded(sums[2], sums[3]));
        __m128i low = _mm256_castsi256_si128(packed), high = _mm256_extracti128_si256(packed, 1);
        __m128i *place = (__m128i *)(out + (intptr_t)x * 4);
        _mm_storeu_si128(place, _mm_unpacklo_epi32(low, high));
        _mm_storeu_si128(place + 1, _mm_unpackhi_epi32(low, high));
    }
    for (; x < width; x++) {
        const int16_t *tap = weights + (intptr_t)x * taps;
        __m256i sums = _mm256_setzero_si256();
        for (int t = 0; t < taps; t += 4)
            sums = add_four(sums, spread + ((intptr_t)starts[x] + t) * 4, tap + t);
        __m256i packed = _mm256_packs_epi32(rounded(sums, sums), rounded(sums, sums));
        __m128i low = _mm256_castsi256_si128(packed), high = _mm256_extracti128_si256(packed, 1);
        _mm_storel_epi64((__m128i *)(out + (intptr_t)x * 4), _mm_unpacklo_epi32(low, high));
    }
}

/// Adds the products of two rows of 16 values, interleaved, to the sums of the lower and the upper
/// halves of both lanes.
AVX2 static inline void add_rows(__m256i sums[2], __m256i one, __m256i other, __m256i weights) {
    __m256i low = _mm256_unpacklo_epi16(one, other), high = _mm256_unpackhi_epi16(one, other);
    sums[0] = _mm256_add_epi32(sums[0], _mm256_madd_epi16(low, weights));
    sums[1] = _mm256_add_epi32(sums[1], _mm256_madd_epi16(high, weights));
}

/// 32 columns: sums of 9.6 × Q14 with half of `1 << 20` added.
AVX2 static inline void add_columns(const int16_t *const *rows, const int16_t *weights, int taps,
                                    int i, __m256i sums[2][2]) {
    for (int k = 0; k < 4; k++) sums[k / 2][k % 2] = _mm256_set1_epi32(1 << 19);
    int t = 0;
    for (; t + 1 < taps; t += 2) {
        const __m256i *a = (const __m256i *)(rows[t] + i);
        const __m256i *b = (const __m256i *)(rows[t + 1] + i);
        uint32_t pair = (uint16_t)weights[t] | (uint32_t)(uint16_t)weights[t + 1] << 16;
        __m256i w = _mm256_set1_epi32((int32_t)pair);
        for (int k = 0; k < 2; k++)
            add_rows(sums[k], _mm256_loadu_si256(a + k), _mm256_loadu_si256(b + k), w);
    }
    if (t == taps) return;
    const __m256i *a = (const __m256i *)(rows[t] + i);
    __m256i w = _mm256_set1_epi32((uint16_t)weights[t]);
    for (int k = 0; k < 2; k++)
        add_rows(sums[k], _mm256_loadu_si256(a + k), _mm256_setzero_si256(), w);
}

/// Bytes that repeat the two from `first` on, of each half of 64 bits.
#define REPEATED(first) \
    _mm256_broadcastsi128_si256(_mm_setr_epi8( \
        first, first + 1, first, first + 1, first, first + 1, first, first + 1, first + 8, \
        first + 9, first + 8, first + 9, first + 8, first + 9, first + 8, first + 9))

/// The alphas of four pixels and of four others, as numbers of 32 bits.
AVX2 static inline __m256i alphas_of(__m256i one, __m256i other) {
    __m256i both = _mm256_blend_epi32(_mm256_srli_epi64(other, 32), one, 0xAA);
    return _mm256_srai_epi32(both, 16);
}

/// Eight pixels rounded; see kf_round_pixel. Most are opaque or empty.
AVX2 static inline void round_pixels(__m256i fixed[2]) {
    const __m256i most = _mm256_set1_epi16(255), half = _mm256_set1_epi16(32);
    __m256i pixels[2], translucent[2];
    for (int k = 0; k < 2; k++) {
        pixels[k] = _mm256_srai_epi16(fixed[k], 6);
        __m256i visible = _mm256_cmpgt_epi16(pixels[k], _mm256_setzero_si256());
        translucent[k] = _mm256_andnot_si256(_mm256_cmpeq_epi16(pixels[k], most), visible);
    }
    const __m256i alphas = _mm256_set1_epi64x((int64_t)0xFFFF000000000000);
    if (_mm256_testz_si256(_mm256_or_si256(translucent[0], translucent[1]), alphas)) {
        fixed[0] = pixels[0];
        fixed[1] = pixels[1];
        return;
    }
    __m256i exact[2], change[2];
    for (int k = 0; k < 2; k++) {
        exact[k] = _mm256_sub_epi16(fixed[k], half);
        __m256i rounded = _mm256_slli_epi16(_mm256_min_epi16(pixels[k], most), 6);
        change[k] = _mm256_and_si256(_mm256_sub_epi16(rounded, exact[k]), translucent[k]);
    }
    __m256 difference = _mm256_cvtepi32_ps(alphas_of(change[0], change[1]));
    __m256 alpha = _mm256_cvtepi32_ps(alphas_of(exact[0], exact[1]));
    __m256i factor = _mm256_cvtps_epi32(
        _mm256_div_ps(_mm256_mul_ps(difference, _mm256_set1_ps(32767)), alpha));
    const __m256i places[2] = {REPEATED(4), REPEATED(0)};
    for (int k = 0; k < 2; k++) {
        __m256i changes = _mm256_mulhrs_epi16(exact[k], _mm256_shuffle_epi8(factor, places[k]));
        fixed[k] = _mm256_srai_epi16(_mm256_adds_epi16(fixed[k], changes), 6);
    }
}

AVX2 void kf_convolve_columns(const int16_t *const *rows, const int16_t *weights, int taps,
                                   uint8_t *out, int count, int clamp_to_alpha) {
    const __m256i alphas = _mm256_setr_epi8(3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15,
                                            15, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15,
                                            15, 15);
    int i = 0;
    for (; i + 32 <= count; i += 32) {
        __m256i sums[2][2], pixels[2];
        add_columns(rows, weights, taps, i, sums);
        int shift = clamp_to_alpha ? 14 : 20;
        for (int k = 0; k < 2; k++)
            pixels[k] = _mm256_packs_epi32(_mm256_srai_epi32(sums[k][0], shift),
                                           _mm256_srai_epi32(sums[k][1], shift));
        if (clamp_to_alpha) round_pixels(pixels);
        // Packing works within 128-bit lanes; the permutation restores the order of the quarters.
        __m256i bytes = _mm256_permute4x64_epi64(_mm256_packus_epi16(pixels[0], pixels[1]), 0xD8);
        if (clamp_to_alpha)
            bytes = _mm256_min_epu8(bytes, _mm256_shuffle_epi8(bytes, alphas));
        _mm256_storeu_si256((__m256i *)(out + i), bytes);
    }
    kf_columns_tail(rows, weights, taps, out, i, count, clamp_to_alpha);
}
#endif

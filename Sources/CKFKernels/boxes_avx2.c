#include "CKFKernels.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

enum { STRIP = 64 };

static inline int held(int row, int last) { return row < 0 ? 0 : row > last ? last : row; }

// Even and odd bytes have separate 16-bit sums. The mean is the sum, plus half the size for
// rounding, times the reciprocal. Up to a size of 127 both are exact enough.
AVX2 void kf_box_strip(const uint8_t *from, uint8_t *to, int rows, int size) {
    const int last = rows - 1, radius = size / 2;
    const __m256i low = _mm256_set1_epi16(0xFF);
    const __m256i factor = _mm256_set1_epi16((short)((65536 + size - 1) / size));
    __m256i even[2], odd[2];
    for (int i = 0; i < 2; i++) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(from + i * 32));
        __m256i weight = _mm256_set1_epi16((short)(radius + 1));
        __m256i half = _mm256_set1_epi16((short)radius);
        __m256i e = _mm256_mullo_epi16(_mm256_and_si256(bytes, low), weight);
        __m256i o = _mm256_mullo_epi16(_mm256_srli_epi16(bytes, 8), weight);
        even[i] = _mm256_add_epi16(e, half);
        odd[i] = _mm256_add_epi16(o, half);
        for (int y = 1; y <= radius; y++) {
            const uint8_t *row = from + (intptr_t)held(y, last) * STRIP + i * 32;
            bytes = _mm256_loadu_si256((const __m256i *)row);
            even[i] = _mm256_add_epi16(even[i], _mm256_and_si256(bytes, low));
            odd[i] = _mm256_add_epi16(odd[i], _mm256_srli_epi16(bytes, 8));
        }
    }
    __m256i even0 = even[0], even1 = even[1], odd0 = odd[0], odd1 = odd[1];
    for (int y = 0; y < rows; y++) {
        const uint8_t *arriving = from + (intptr_t)held(y + radius + 1, last) * STRIP;
        const uint8_t *leaving = from + (intptr_t)held(y - radius, last) * STRIP;
        __m256i mean0 = _mm256_or_si256(
            _mm256_mulhi_epu16(even0, factor),
            _mm256_slli_epi16(_mm256_mulhi_epu16(odd0, factor), 8));
        __m256i mean1 = _mm256_or_si256(
            _mm256_mulhi_epu16(even1, factor),
            _mm256_slli_epi16(_mm256_mulhi_epu16(odd1, factor), 8));
        _mm256_storeu_si256((__m256i *)(to + (intptr_t)y * STRIP), mean0);
        _mm256_storeu_si256((__m256i *)(to + (intptr_t)y * STRIP + 32), mean1);
        __m256i plus0 = _mm256_loadu_si256((const __m256i *)arriving);
        __m256i plus1 = _mm256_loadu_si256((const __m256i *)(arriving + 32));
        __m256i minus0 = _mm256_loadu_si256((const __m256i *)leaving);
        __m256i minus1 = _mm256_loadu_si256((const __m256i *)(leaving + 32));
        even0 = _mm256_add_epi16(even0, _mm256_sub_epi16(_mm256_and_si256(plus0, low),
                                                         _mm256_and_si256(minus0, low)));
        even1 = _mm256_add_epi16(even1, _mm256_sub_epi16(_mm256_and_si256(plus1, low),
                                                         _mm256_and_si256(minus1, low)));
        odd0 = _mm256_add_epi16(odd0, _mm256_sub_epi16(_mm256_srli_epi16(plus0, 8),
                                                       _mm256_srli_epi16(minus0, 8)));
        odd1 = _mm256_add_epi16(odd1, _mm256_sub_epi16(_mm256_srli_epi16(plus1, 8),
                                                       _mm256_srli_epi16(minus1, 8)));
    }
}

void kf_transpose_strip(const uint8_t *strip, int rows, int columns, uint8_t *out,
                        intptr_t bytes_per_row) {
    for (int x = 0; x < columns; x += 4) {
        const uint8_t *block = strip + x * 4;
        uint8_t *target = out + x * bytes_per_row;
        int y = 0;
        for (; x + 4 <= columns && y + 4 <= rows; y += 4) {
            const uint8_t *row = block + (intptr_t)y * STRIP;
            __m128i a = _mm_loadu_si128((const __m128i *)row);
            __m128i b = _mm_loadu_si128((const __m128i *)(row + STRIP));
            __m128i c = _mm_loadu_si128((const __m128i *)(row + 2 * STRIP));
            __m128i d = _mm_loadu_si128((const __m128i *)(row + 3 * STRIP));
            __m128i ab = _mm_unpacklo_epi32(a, b), cd = _mm_unpacklo_epi32(c, d);
            __m128i ab2 = _mm_unpackhi_epi32(a, b), cd2 = _mm_unpackhi_epi32(c, d);
            uint8_t *place = target + (intptr_t)y * 4;
            _mm_storeu_si128((__m128i *)place, _mm_unpacklo_epi64(ab, cd));
            _mm_storeu_si128((__m128i *)(place + bytes_per_row), _mm_unpackhi_epi64(ab, cd));
            _mm_storeu_si128((__m128i *)(place + 2 * bytes_per_row),
                             _mm_unpacklo_epi64(ab2, cd2));
            _mm_storeu_si128((__m128i *)(place + 3 * bytes_per_row),
                             _mm_unpackhi_epi64(ab2, cd2));
        }
        for (; y < rows; y++)
            for (int i = 0; i < 4 && x + i < columns; i++)
                __builtin_memcpy(target + i * bytes_per_row + (intptr_t)y * 4,
                                 block + (intptr_t)y * STRIP + i * 4, 4);
    }
}
#endif

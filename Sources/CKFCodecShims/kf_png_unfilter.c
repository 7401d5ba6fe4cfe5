// The filters of W3C, PNG (Third Edition), section 9.
//
// A pixel of the filters Sub, Average and Paeth needs the one to its left, so that a row takes as
// long as the chain of its pixels. Two rows of Paeth, the usual filter of photographs, go through
// one chain: the second is one pixel later than the first, in the upper half of the same vector.

#include "kf_png_unfilter.h"

#include <string.h>

enum { NONE, SUB, UP, AVERAGE, PAETH };

// One or two pixels, a channel byte per lane. The compiler has vectors for every processor.
typedef int16_t lanes __attribute__((vector_size(16)));
typedef uint8_t packed __attribute__((vector_size(8)));

static inline lanes widen(uint64_t bytes) {
    packed vector;
    memcpy(&vector, &bytes, sizeof vector);
    return __builtin_convertvector(vector, lanes);
}

// Every lane is 0…255.
static inline uint64_t narrow(lanes values) {
    packed vector = __builtin_convertvector(values, packed);
    uint64_t bytes;
    memcpy(&bytes, &vector, sizeof bytes);
    return bytes;
}

static inline uint64_t load8(const uint8_t *place) {
    uint64_t bytes;
    memcpy(&bytes, place, sizeof bytes);
    return bytes;
}

static inline uint64_t load4(const uint8_t *place) {
    uint32_t bytes;
    memcpy(&bytes, place, sizeof bytes);
    return bytes;
}

static inline void store8(uint8_t *place, uint64_t bytes) { memcpy(place, &bytes, sizeof bytes); }

static inline void store4(uint8_t *place, uint64_t bytes) {
    uint32_t low = (uint32_t)bytes;
    memcpy(place, &low, sizeof low);
}

static inline lanes distance(lanes value) { return __builtin_elementwise_max(value, -value); }

static inline lanes choose(lanes mask, lanes yes, lanes no) { return (yes & mask) | (no & ~mask); }

// The neighbour closest to left + above − corner; of equals the first of left, above, corner.
static inline lanes paeth(lanes left, lanes above, lanes corner) {
    lanes to_above = left - corner, to_left = above - corner;
    lanes to_corner = distance(to_above + to_left);
    to_above = distance(to_above);
    to_left = distance(to_left);
    lanes nearer = choose(to_above <= to_corner, above, corner);
    return choose(to_left <= __builtin_elementwise_min(to_above, to_corner), left, nearer);
}

// Pixels of 1…8 bytes. Writes up to 7 bytes past the row; lanes after the pixel have no meaning.
static inline void unfilter_lanes(int filter, const uint8_t *from, const uint8_t *above,
                                  uint8_t *to, size_t row_bytes, size_t step) {
    lanes left = {0}, corner = {0};
    for (size_t i = 0; i < row_bytes; i += step) {
        lanes upper = widen(load8(above + i)), value = widen(load8(from + i));
        if (filter == SUB) value += left;
        if (filter == AVERAGE) value += (left + upper) >> 1;
        if (filter == PAETH) value += paeth(left, upper, corner);
        left = value & 255;
        corner = upper;
        store8(to + i, narrow(left));
    }
}

// With constants the compiler makes a loop for each filter.
static void unfilter_chain(int filter, const uint8_t *from, const uint8_t *above, uint8_t *to,
                           size_t row_bytes, size_t step) {
    if (filter == SUB) return unfilter_lanes(SUB, from, above, to, row_bytes, step);
    if (filter == AVERAGE) return unfilter_lanes(AVERAGE, from, above, to, row_bytes, step);
    unfilter_lanes(PAETH, from, above, to, row_bytes, step);
}

static void unfilter(int filter, const uint8_t *from, const uint8_t *above, uint8_t *to,
                     size_t row_bytes, size_t step) {
    if (filter == NONE) {
        memcpy(to, from, row_bytes);
    } else if (filter == UP) {
        for (size_t i = 0; i < row_bytes; i++) to[i] = (uint8_t)(from[i] + above[i]);
    } else {
        unfilter_chain(filter, from, above, to, row_bytes, step);
    }
}

// Two rows of Paeth with pixels of 3 or 4 bytes. Writes one byte past each row.
static void unfilter_paeths(const uint8_t *from, const uint8_t *above, uint8_t *to,
                            size_t row_bytes, size_t step) {
    const uint8_t *next = from + row_bytes + 1;
    uint8_t *below = to + row_bytes + 1;
    lanes left = {0}, corner = {0};
    for (size_t i = 0; i <= row_bytes; i += step) {
        // The second row has no pixel yet at the start, the first has none left at the end. Zeros
        // give zeros at the start.
        int has_first = i < row_bytes, has_second = i > 0;
        uint64_t values = has_first ? load4(from + i) : 0;
        if (has_second) values |= load4(next + i - step) << 32;
        lanes upper = widen(has_first ? load4(above + i) : 0);
        upper = __builtin_shufflevector(upper, left, 0, 1, 2, 3, 8, 9, 10, 11);
        left = (widen(values) + paeth(left, upper, corner)) & 255;
        corner = upper;
        uint64_t result = narrow(left);
        if (has_first) store4(to + i, result);
        if (has_second) store4(below + i - step, result >> 32);
    }
}

int kf_png_unfilter(const uint8_t *filtered, const uint8_t *above, uint8_t *rows, size_t count,
                    size_t row_bytes, size_t step) {
    size_t stride = row_bytes + 1;
    int pairs = step == 3 || step == 4;
    for (size_t y = 0; y < count; y++) {
        const uint8_t *from = filtered + y * stride;
        uint8_t *to = rows + y * stride;
        if (*from > PAETH) return 0;
        if (pairs && *from == PAETH && y + 1 < count && from[stride] == PAETH) {
            unfilter_paeths(from + 1, above, to + 1, row_bytes, step);
            y++;
            to += stride;
        } else {
            unfilter(*from, from + 1, above, to + 1, row_bytes, step);
        }
        above = to + 1;
    }
    // Last, because rows are written a little past their ends.
    for (size_t y = 0; y < count; y++) rows[y * stride] = NONE;
    return 1;
}

#include "vectors.h"

#if defined(__x86_64__) || defined(__aarch64__)
TWIN static inline Pixels mixed(Pixels pixels, Pixels color, Words keep, Words shape) {
    return divided_by_255(even_bytes(pixels) * keep + even_bytes(color) * shape,
                          odd_bytes(pixels) * keep + odd_bytes(color) * shape);
}

TWIN void kf_mix_row(const uint8_t *from, uint8_t *to, int width, uint32_t color, int factor,
                     int by_shape) {
    const Pixels constant = (Pixels){0} + color;
    const Words keep = (Words){0} + (uint16_t)factor, whole = (Words){0} + 255;
    int x = 0;
    for (; x + 8 <= width; x += 8) {
        Pixels pixels = load_pixels(from + x * 4, 8);
        Words shape = by_shape ? alphas_of(pixels) : whole;
        store_pixels(mixed(pixels, constant, keep, shape), to + x * 4, 8);
    }
    if (x == width) return;
    Pixels pixels = load_pixels(from + x * 4, width - x);
    Words shape = by_shape ? alphas_of(pixels) : whole;
    store_pixels(mixed(pixels, constant, keep, shape), to + x * 4, width - x);
}

TWIN static inline Floats applied(const float *row, Floats r, Floats g, Floats b, Floats a) {
    Floats sum = r * row[0] + g * row[1] + b * row[2] + a * row[3];
    return least(most(sum, (Floats){0}), a);
}

TWIN static inline Pixels grey(Pixels pixels, const float *row) {
    Floats r = floats_of(pixels & 0xFF), g = floats_of(pixels >> 8 & 0xFF);
    Floats b = floats_of(pixels >> 16 & 0xFF), a = floats_of(pixels >> 24);
    Pixels result = bytes_of(applied(row, r, g, b, a));
    return result | result << 8 | result << 16 | (pixels & 0xFF000000);
}

TWIN static inline Pixels colored(Pixels pixels, const float *rows) {
    Floats r = floats_of(pixels & 0xFF), g = floats_of(pixels >> 8 & 0xFF);
    Floats b = floats_of(pixels >> 16 & 0xFF), a = floats_of(pixels >> 24);
    return bytes_of(applied(rows, r, g, b, a)) | bytes_of(applied(rows + 4, r, g, b, a)) << 8
           | bytes_of(applied(rows + 8, r, g, b, a)) << 16 | (pixels & 0xFF000000);
}

TWIN void kf_matrix_row(const uint8_t *from, uint8_t *to, int width, const float *rows,
                        int is_grey) {
    int x = 0;
    if (is_grey) {
        for (; x + 8 <= width; x += 8)
            store_pixels(grey(load_pixels(from + x * 4, 8), rows), to + x * 4, 8);
    } else {
        for (; x + 8 <= width; x += 8)
            store_pixels(colored(load_pixels(from + x * 4, 8), rows), to + x * 4, 8);
    }
    if (x == width) return;
    Pixels rest = load_pixels(from + x * 4, width - x);
    store_pixels(is_grey ? grey(rest, rows) : colored(rest, rows), to + x * 4, width - x);
}

TWIN static inline Pixels premultiplied(Pixels pixels) {
    Words alpha = alphas_of(pixels);
    Pixels colors = divided_by_255(even_bytes(pixels) * alpha, odd_bytes(pixels) * alpha);
    return (colors & 0x00FFFFFF) | (pixels & 0xFF000000);
}

TWIN void kf_premultiply_row(const uint8_t *from, uint8_t *to, intptr_t width) {
    intptr_t x = 0;
    for (; x + 8 <= width; x += 8)
        store_pixels(premultiplied(load_pixels(from + x * 4, 8)), to + x * 4, 8);
    if (x == width) return;
    int rest = (int)(width - x);
    store_pixels(premultiplied(load_pixels(from + x * 4, rest)), to + x * 4, rest);
}

/// The quotient is below 2¹⁶, so that a float's error does not reach the next integer.
TWIN static inline Pixels divided(Pixels color, Pixels alpha, Floats divisor) {
    Floats quotient = floats_of(color * 255 + (alpha >> 1)) / divisor;
    return (Pixels)__builtin_convertvector(least(quotient, (Floats){0} + 255), Signs);
}

TWIN static inline Pixels straight(Pixels pixels) {
    Pixels alpha = pixels >> 24;
    Floats divisor = floats_of(alpha);
    Pixels colors = divided(pixels & 0xFF, alpha, divisor)
                    | divided(pixels >> 8 & 0xFF, alpha, divisor) << 8
                    | divided(pixels >> 16 & 0xFF, alpha, divisor) << 16;
    return (colors | (pixels & 0xFF000000)) & (Pixels)(alpha != 0);
}

TWIN void kf_unpremultiply_row(const uint8_t *from, uint8_t *to, intptr_t width) {
    intptr_t x = 0;
    for (; x + 8 <= width; x += 8)
        store_pixels(straight(load_pixels(from + x * 4, 8)), to + x * 4, 8);
    if (x == width) return;
    int rest = (int)(width - x);
    store_pixels(straight(load_pixels(from + x * 4, rest)), to + x * 4, rest);
}
#endif

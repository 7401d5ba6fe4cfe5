// Compares the twins of the hot kernels with plain loops, for processors on which the Swift tests
// do not run; see Scripts/neon.sh. Exits with 1 if one differs.
#include "CKFKernels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 1;

static uint32_t noise(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33);
}

static uint8_t *bytes(size_t count) {
    uint8_t *result = malloc(count);
    if (!result) exit(2);
    for (size_t i = 0; i < count; i++) result[i] = (uint8_t)noise();
    return result;
}

static int clipped(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

static int check_row(int width, int taps) {
    int length = width + taps, wrong = 0, groups = (length + 3) / 4;
    uint8_t *source = bytes((size_t)groups * 16);
    int16_t *spread = malloc(sizeof *spread * (size_t)groups * 16);
    for (int i = length * 4; i < groups * 16; i++) source[i] = 0;
    kf_spread_row(source, length, spread);
    int32_t *starts = malloc(sizeof *starts * (size_t)width);
    int16_t *weights = malloc(sizeof *weights * (size_t)(width * taps));
    int16_t *out = malloc(sizeof *out * (size_t)width * 4);
    for (int x = 0; x < width; x++)
        starts[x] = 4 * (int32_t)(noise() % (uint32_t)(groups - taps / 4 + 1));
    for (int i = 0; i < width * taps; i++) weights[i] = (int16_t)((int)(noise() % 12000) - 4000);
    kf_convolve_row(spread, starts, weights, taps, width, out);
    for (int x = 0; x < width; x++)
        for (int c = 0; c < 4; c++) {
            int sum = 1 << 7;
            for (int t = 0; t < taps; t++)
                sum += source[(starts[x] + t) * 4 + c] * weights[x * taps + t];
            wrong += out[x * 4 + c] != clipped(sum >> 8, -32768, 32767);
        }
    free(source), free(spread), free(starts), free(weights), free(out);
    return wrong;
}

static int check_columns(int width, int taps, int clamps) {
    int count = width * 4, wrong = 0;
    const int16_t *rows[16];
    int16_t weights[16];
    uint8_t *out = bytes((size_t)count);
    for (int t = 0; t < taps; t++) {
        int16_t *row = malloc(sizeof *row * (size_t)count);
        for (int i = 0; i < count; i++) row[i] = (int16_t)((int)(noise() % 20000) - 2000);
        rows[t] = row;
        weights[t] = (int16_t)((int)(noise() % 12000) - 3000);
    }
    kf_convolve_columns(rows, weights, taps, out, count, clamps);
    for (int i = 0; i < count; i++) {
        int value[2], fixed[2];
        for (int k = 0; k < 2; k++) {
            int column = k ? i | 3 : i, sum = 1 << 19;
            for (int t = 0; t < taps; t++) sum += rows[t][column] * weights[t];
            fixed[k] = clipped(sum >> 14, -32768, 32767);
            value[k] = fixed[k] >> 6;
        }
        // A translucent pixel keeps its colour.
        if (clamps && value[1] > 0 && value[1] != 255) {
            int exact = fixed[1] - 32, rounded = clipped(value[1], 0, 255) * 64;
            int factor = (int)lrintf((float)(rounded - exact) * 32767 / (float)exact);
            int change = ((fixed[0] - 32) * factor + (1 << 14)) >> 15;
            value[0] = clipped(fixed[0] + change, -32768, 32767) >> 6;
        }
        for (int k = 0; k < 2; k++) value[k] = clipped(value[k], 0, 255);
        wrong += out[i] != (clamps && value[0] > value[1] ? value[1] : value[0]);
    }
    for (int t = 0; t < taps; t++) free((void *)rows[t]);
    free(out);
    return wrong;
}

static int check_box(int rows, int size) {
    int wrong = 0;
    uint8_t *from = bytes((size_t)rows * 64), *to = bytes((size_t)rows * 64);
    kf_box_strip(from, to, rows, size);
    for (int y = 0; y < rows; y++)
        for (int i = 0; i < 64; i++) {
            int sum = size / 2;
            for (int shift = -(size / 2); shift <= size / 2; shift++)
                sum += from[clipped(y + shift, 0, rows - 1) * 64 + i];
            wrong += to[y * 64 + i] != (sum * ((65536 + size - 1) / size)) >> 16;
        }
    free(from), free(to);
    return wrong;
}

static int check_transpose(int rows, int columns) {
    int wrong = 0, bytes_per_row = rows * 4;
    uint8_t *strip = bytes((size_t)rows * 64), *out = bytes((size_t)(columns * bytes_per_row));
    kf_transpose_strip(strip, rows, columns, out, bytes_per_row);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++)
            wrong += memcmp(out + x * bytes_per_row + y * 4, strip + y * 64 + x * 4, 4) != 0;
    free(strip), free(out);
    return wrong;
}

static int check_mix(int width, int by_shape) {
    int wrong = 0, factor = (int)(noise() % 256);
    uint8_t *from = bytes((size_t)width * 4), *to = bytes((size_t)width * 4);
    uint32_t color = 0;
    for (int c = 0; c < 4; c++)
        color |= (noise() % (uint32_t)(256 - factor)) << (c * 8);
    kf_mix_row(from, to, width, color, factor, by_shape);
    for (int i = 0; i < width * 4; i++) {
        int shape = by_shape ? from[i | 3] : 255;
        int sum = from[i] * factor + (int)(color >> (i % 4 * 8) & 255) * shape;
        wrong += to[i] != (sum + 127) / 255;
    }
    free(from), free(to);
    return wrong;
}

static int check_matrix(int width, int is_grey) {
    int wrong = 0;
    float rows[12];
    for (int i = 0; i < 12; i++) rows[i] = (float)((int)(noise() % 400) - 150) / 100;
    uint8_t *from = bytes((size_t)width * 4), *to = bytes((size_t)width * 4);
    kf_matrix_row(from, to, width, rows, is_grey);
    for (int i = 0; i < width * 4; i++) {
        const uint8_t *pixel = from + i / 4 * 4;
        const float *row = rows + (is_grey ? 0 : i % 4 * 4);
        float sum = pixel[3];
        if (i % 4 < 3)
            sum = pixel[0] * row[0] + pixel[1] * row[1] + pixel[2] * row[2] + pixel[3] * row[3];
        int exact = (int)(sum < 0 ? 0 : sum > pixel[3] ? pixel[3] : sum + 0.5f);
        // A sum that ends in a half may be rounded up or down.
        wrong += abs(to[i] - exact) > 1;
    }
    free(from), free(to);
    return wrong;
}

/// Rows of each value with each alpha.
static int check_alpha(int width) {
    int wrong = 0;
    uint8_t *from = bytes((size_t)width * 4), *to = bytes((size_t)width * 4);
    for (int pair = 0; pair < 65536; pair += width) {
        for (int x = 0; x < width; x++) {
            from[x * 4] = (uint8_t)(pair + x), from[x * 4 + 3] = (uint8_t)((pair + x) >> 8);
            from[x * 4 + 1] = from[x * 4 + 2] = (uint8_t)~from[x * 4];
        }
        kf_premultiply_row(from, to, width);
        for (int i = 0; i < width * 4; i++)
            wrong += to[i] != (i % 4 < 3 ? (from[i] * from[i | 3] + 127) / 255 : from[i]);
        kf_unpremultiply_row(from, to, width);
        for (int i = 0; i < width * 4; i++) {
            int alpha = from[i | 3], exact = alpha ? (from[i] * 255 + alpha / 2) / alpha : 0;
            wrong += to[i] != (i % 4 == 3 ? alpha : exact > 255 ? 255 : exact);
        }
    }
    free(from), free(to);
    return wrong;
}

typedef struct {
    double v[3];
} Color;

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a < b ? b : a; }
static double luma(Color c) { return 0.3 * c.v[0] + 0.59 * c.v[1] + 0.11 * c.v[2]; }
static double smallest(Color c) { return least(c.v[0], least(c.v[1], c.v[2])); }
static double greatest(Color c) { return most(c.v[0], most(c.v[1], c.v[2])); }
static double saturation(Color c) { return greatest(c) - smallest(c); }

static Color with_saturation(Color c, double saturated) {
    double low = smallest(c), spread = saturation(c);
    for (int i = 0; i < 3; i++) c.v[i] = spread > 0 ? (c.v[i] - low) * saturated / spread : 0;
    return c;
}

static Color with_luma(Color c, double wanted) {
    double shift = wanted - luma(c);
    for (int i = 0; i < 3; i++) c.v[i] += shift;
    double l = luma(c), low = smallest(c), high = greatest(c);
    for (int i = 0; i < 3; i++) {
        if (low < 0) c.v[i] = l + (c.v[i] - l) * l / (l - low);
        if (high > 1) c.v[i] = l + (c.v[i] - l) * (1 - l) / (high - l);
    }
    return c;
}

/// W3C's formulas on straight colours.
static double separable(double b, double s, int mode) {
    switch (mode) {
    case 1: return b * s;
    case 2: return b + s - b * s;
    case 3: return separable(s, b, 9);
    case 4: return least(b, s);
    case 5: return most(b, s);
    case 6: return b == 0 ? 0 : s == 1 ? 1 : least(1, b / (1 - s));
    case 7: return b == 1 ? 1 : s == 0 ? 0 : 1 - least(1, (1 - b) / s);
    case 8: {
        if (s <= 0.5) return b - (1 - 2 * s) * b * (1 - b);
        double curve = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : __builtin_sqrt(b);
        return b + (2 * s - 1) * (curve - b);
    }
    case 9: return s <= 0.5 ? 2 * b * s : separable(b, 2 * s - 1, 2);
    case 10: return b < s ? s - b : b - s;
    default: return b + s - 2 * b * s;
    }
}

static double blended(Color b, Color s, int mode, int channel) {
    switch (mode) {
    case 12: return with_luma(with_saturation(s, saturation(b)), luma(b)).v[channel];
    case 13: return with_luma(with_saturation(b, saturation(s)), luma(b)).v[channel];
    case 14: return with_luma(s, luma(b)).v[channel];
    case 15: return with_luma(b, luma(s)).v[channel];
    default: return separable(b.v[channel], s.v[channel], mode);
    }
}

static double composited(const uint8_t *source, const uint8_t *backdrop, int mode, int channel) {
    double s = source[channel] / 255., sa = source[3] / 255.;
    double b = backdrop[channel] / 255., ba = backdrop[3] / 255.;
    double sum = s + b, excess = most(sa + ba - 1, 0);
    switch (mode) {
    case 0: return s + b * (1 - sa);
    case 16: return 0;
    case 17: return s;
    case 18: return s * ba;
    case 19: return s * (1 - ba);
    case 20: return s * ba + b * (1 - sa);
    case 21: return s * (1 - ba) + b;
    case 22: return b * sa;
    case 23: return b * (1 - sa);
    case 24: return s * (1 - ba) + b * sa;
    case 25: return s * (1 - ba) + b * (1 - sa);
    case 26: return most(sum - excess, 0);
    case 27: return least(sum, 1);
    default: break;
    }
    double both = sa * ba;
    if (channel < 3 && both > 0) {
        Color one, other;
        for (int i = 0; i < 3; i++) {
            one.v[i] = (double)backdrop[i] / backdrop[3];
            other.v[i] = (double)source[i] / source[3];
        }
        both *= blended(one, other, mode, channel);
    }
    return s * (1 - ba) + b * (1 - sa) + both;
}

static int check_blend(int width, int mode) {
    int wrong = 0;
    uint8_t *source = bytes((size_t)width * 4), *to = bytes((size_t)width * 4);
    uint8_t *backdrop = malloc((size_t)width * 4);
    for (int i = 0; i < width * 4; i += 4) {
        // Includes opaque, clear, grey, black and white pixels.
        uint32_t kind = noise();
        if (kind % 4 == 0) source[i + 3] = 255;
        if (kind / 4 % 4 == 0) to[i + 3] = 255;
        if (kind / 16 % 16 == 0) source[i + 3] = 0;
        if (kind / 256 % 16 == 0) to[i + 3] = 0;
        for (int c = 0; c < 3; c++) {
            if (kind / 4096 % 8 == 0) source[i + c] = source[i];
            if (kind / 4096 % 8 == 1) to[i + c] = to[i];
            if (kind / 32768 % 8 == 0) source[i + c] = kind & 4096 ? 255 : 0;
            if (source[i + c] > source[i + 3]) source[i + c] = source[i + 3];
            if (to[i + c] > to[i + 3]) to[i + c] = to[i + 3];
        }
    }
    memcpy(backdrop, to, (size_t)width * 4);
    wrong += !kf_blend_row(source, to, width, mode, 255);
    for (int i = 0; i < width * 4; i++) {
        double exact = 255 * composited(source + i / 4 * 4, backdrop + i / 4 * 4, mode, i % 4);
        double error = exact < to[i] ? to[i] - exact : exact - to[i];
        // Rounded once; floats may round a half to the other side.
        wrong += error > 0.51;
    }
    free(source), free(to), free(backdrop);
    return wrong;
}

int main(void) {
    if (!kf_has_twins()) {
        puts("this processor has no twins");
        return 0;
    }
    int row = 0, columns = 0, box = 0, transpose = 0, mix = 0, matrix = 0;
    int alpha = 0, blend = 0;
    for (int width = 1; width < 40; width++) {
        for (int taps = 4; taps <= 16; taps += 4) row += check_row(width, taps);
        for (int taps = 1; taps <= 16; taps++)
            columns += check_columns(width, taps, 0) + check_columns(width, taps, 1);
        for (int size = 3; size <= 127; size += 4) box += check_box(width, size);
        for (int count = 1; count <= 16; count++) transpose += check_transpose(width, count);
        for (int mode = 0; mode < 28; mode++) blend += check_blend(width, mode);
        for (int kind = 0; kind < 2; kind++) {
            mix += check_mix(width, kind);
            matrix += check_matrix(width, kind);
        }
        alpha += check_alpha(width);
    }
    printf("wrong values: row %d, columns %d, box %d, transpose %d, mix %d, matrix %d, "
           "alpha %d, blend %d\n",
           row, columns, box, transpose, mix, matrix, alpha, blend);
    return row + columns + box + transpose + mix + matrix + alpha + blend != 0;
}

// Compares the twins of the hot kernels with plain loops, for processors that the tests in Swift
// do not run on: see Scripts/neon.sh. Exits with 1 when one differs.
#include "CKernels.h"
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
        int value[2];
        for (int k = 0; k < 2; k++) {
            int column = k ? i | 3 : i, sum = 1 << 19;
            for (int t = 0; t < taps; t++) sum += rows[t][column] * weights[t];
            value[k] = clipped(sum >> 20, 0, 255);
        }
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

int main(void) {
    if (!kf_has_twins()) {
        puts("this processor has no twins");
        return 0;
    }
    int row = 0, columns = 0, box = 0, transpose = 0;
    for (int width = 1; width < 40; width++) {
        for (int taps = 4; taps <= 16; taps += 4) row += check_row(width, taps);
        for (int taps = 1; taps <= 16; taps++)
            columns += check_columns(width, taps, 0) + check_columns(width, taps, 1);
        for (int size = 3; size <= 127; size += 4) box += check_box(width, size);
        for (int count = 1; count <= 16; count++) transpose += check_transpose(width, count);
    }
    printf("wrong values: row %d, columns %d, box %d, transpose %d\n", row, columns, box, transpose);
    return row + columns + box + transpose != 0;
}

#pragma once
#include <stddef.h>
#include <stdint.h>

enum {
    // Bytes that kf_png_unfilter may read and write past the end of its rows.
    KF_PNG_SLACK = 16,
};

// Undoes the filters of `count` rows.
//
// `filtered` holds rows of the number of a filter and `row_bytes` bytes. `rows` receives them with
// the number 0. `above` is the row before them without a number. `step` is the number of bytes per
// pixel, at least 1. All three blocks end with KF_PNG_SLACK bytes more.
//
// Returns 0 if there is an unknown filter.
int kf_png_unfilter(const uint8_t *filtered, const uint8_t *above, uint8_t *rows, size_t count,
                    size_t row_bytes, size_t step);

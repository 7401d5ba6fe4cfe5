#pragma once
// Samples of TIFF that are read here rather than by libtiff's reader of RGBA; not visible to Swift.
#include "abi_tiff.h"
#include "kf_picture_internal.h"

typedef struct kf_tiff_samples {
    TIFF *file;
    uint32_t width, height;
    uint16_t bits, count, format, photometric;
    // Of colour, and the place of alpha after them; -1 without.
    int colors, alpha;
    // Whether each sample has a plane of its own.
    int is_planar;
    // Of a tile, or of a strip of the whole width.
    uint32_t part_width, part_height;
    int is_tiled;
    // A table of colours for each sample of colour, and which bytes of its values are used.
    uint16_t *palette[3];
    enum { KF_BYTES_BOTH, KF_BYTES_LOW, KF_BYTES_HIGH } palette_bytes;
} kf_tiff_samples;

// Finds the functions that this needs in the library.
int kf_tiff_samples_find(void *library);

// The samples of a file; returns whether they can be read here.
int kf_tiff_samples_describe(TIFF *file, kf_tiff_samples *samples);

// Whether colours are stored premultiplied; as in libtiff, an unspecified channel counts as such.
int kf_tiff_is_associated(TIFF *file);

// The index of the channel of alpha among those beyond `colors`, or -1.
int kf_tiff_alpha(TIFF *file, int colors);

// Whether rows of 16 bits are worth it.
int kf_tiff_samples_are_deep(const kf_tiff_samples *samples);

// Reads all rows, of 16 bits if `is_deep`. Returns 1, 0 if a part of the file cannot be read, -1 without memory.
int kf_tiff_samples_read(const kf_tiff_samples *samples, size_t max_memory, int is_deep,
                         kf_picture_row row, void *context);

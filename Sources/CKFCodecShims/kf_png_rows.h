#pragma once
#include <stddef.h>
#include <stdint.h>

// Prepares the pixels of a PNG for libpng: inflates them with ISA-L, undoes the filters, and passes
// the rows on as a zlib stream of blocks that are stored without compression. libpng still does
// everything else.
//
// Serves files alone that are whole and regular. libpng with zlib decides about all others, so that
// the results for damaged files do not depend on ISA-L; kf_png.h names the exception.

typedef struct kf_png_rows kf_png_rows;

// Loads ISA-L, which opens files, unless that has been done or attempted before.
void kf_png_rows_prepare(void);

// The offset of the first chunk of pixels, or 0 if there is none.
size_t kf_png_rows_offset(const uint8_t *bytes, size_t count);

// Returns NULL unless all chunks of pixels are whole, their checksums are right, and the image is
// not interlaced; without ISA-L; and without memory. libpng has accepted the header of the file.
kf_png_rows *kf_png_rows_create(const uint8_t *bytes, size_t count, size_t offset);
void kf_png_rows_destroy(kf_png_rows *rows);

// Reads the next bytes of a chunk that replaces those of the pixels; its checksums are 0. Returns 0
// if the pixels are not regular.
int kf_png_rows_read(kf_png_rows *rows, uint8_t *target, size_t count);

#pragma once
#include <stddef.h>
#include <stdint.h>

// A row interface to libpng that reports errors by return value.

typedef enum kf_png_status {
    KF_PNG_OK = 0,
    // See kf_png_message.
    KF_PNG_CORRUPT = 1,
    KF_PNG_TRUNCATED = 2,
} kf_png_status;

typedef struct kf_png_header {
    uint32_t width;
    uint32_t height;
    int bits_per_channel;
    int is_interlaced;
    // Whether rows have an alpha that can differ from 255.
    int has_alpha;
    // Channels of a pixel of a row: 4, or 1…4 in interlaced images (grey or RGB, then alpha).
    int channels;
    // Bytes per channel: 1, or 2 with kf_png_decoder_keep_depth and 16 bits in the file.
    int channel_bytes;
} kf_png_header;

typedef struct kf_png_decoder kf_png_decoder;

typedef enum kf_png_inflater {
    KF_PNG_ZLIB = 0,
    // ISA-L if it is installed and the file is neither damaged nor interlaced, else zlib. The
    // results are the same, except that only ISA-L reads a stream whose table of distances lacks codes
    // that no match uses; its rows have the right checksum.
    KF_PNG_FASTEST = 1,
} kf_png_inflater;

// Creates a decoder. The bytes must outlive it. NULL if memory cannot be allocated.
kf_png_decoder *_Nullable kf_png_decoder_create(const uint8_t *_Nonnull bytes, size_t count,
                                                uint32_t max_side, kf_png_inflater inflater);
void kf_png_decoder_destroy(kf_png_decoder *_Nonnull decoder);

// Rows of files with 16 bits per channel keep them, in the order of the processor. Before the start.
void kf_png_decoder_keep_depth(kf_png_decoder *_Nonnull decoder);

// Makes the decoder read the file as if it had no transparency: versions of libpng differ in whether
// a palette after it cancels it. Call it before kf_png_decoder_start.
void kf_png_decoder_ignore_transparency(kf_png_decoder *_Nonnull decoder);

// Reads up to the pixels and configures libpng for straight RGBA8, in the colours of the file. For
// interlaced images, see kf_png_header.channels.
kf_png_status kf_png_decoder_start(kf_png_decoder *_Nonnull decoder,
                                   kf_png_header *_Nonnull header);

// Decodes the next row of width × 4 × channel_bytes bytes. Only for images that are not interlaced.
kf_png_status kf_png_decoder_read_row(kf_png_decoder *_Nonnull decoder, uint8_t *_Nonnull row);

// Whether the rows so far were inflated with ISA-L.
int kf_png_decoder_inflates_fast(const kf_png_decoder *_Nonnull decoder);

// Decodes all passes into `height` rows at a distance of bytes_per_row. `*rows` is the number of
// rows written; if the file ends early, they may be coarse.
kf_png_status kf_png_decoder_read_picture(kf_png_decoder *_Nonnull decoder,
                                          uint8_t *_Nonnull pixels, size_t bytes_per_row,
                                          uint32_t *_Nonnull rows);

// Compresses to a zlib stream whose only matches are runs of one byte (Z_RLE). Returns its length,
// or 0 if `room` or memory is not sufficient.
size_t kf_deflate_runs(const uint8_t *_Nonnull bytes, size_t count, uint8_t *_Nonnull target,
                       size_t room);

// The largest compressed size of `count` bytes.
size_t kf_deflate_runs_bound(size_t count);

const char *_Nonnull kf_png_message(const kf_png_decoder *_Nonnull decoder);

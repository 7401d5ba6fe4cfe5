#pragma once
#include <stddef.h>
#include <stdint.h>

// A row interface to libjpeg that reports errors by return value.

typedef enum kf_jpeg_status {
    KF_JPEG_OK = 0,
    // See kf_jpeg_message.
    KF_JPEG_CORRUPT = 1,
    KF_JPEG_TRUNCATED = 2,
    // More scans than allowed.
    KF_JPEG_TOO_MANY_SCANS = 3,
    // libjpeg needs more memory than allowed, or than is available.
    KF_JPEG_TOO_MUCH_MEMORY = 4,
    // The source of rows ended the encoding.
    KF_JPEG_CANCELLED = 5,
} kf_jpeg_status;

typedef enum kf_jpeg_layout {
    KF_JPEG_RGBA = 0,  // alpha 255
    KF_JPEG_CMYK = 1,  // as stored: Adobe writes it inverted
} kf_jpeg_layout;

typedef struct kf_jpeg_decoder kf_jpeg_decoder;

// Creates a decoder. The bytes must outlive it. NULL if memory cannot be allocated.
kf_jpeg_decoder *_Nullable kf_jpeg_decoder_create(const uint8_t *_Nonnull bytes, size_t count,
                                                  size_t max_memory, int max_scans);
void kf_jpeg_decoder_destroy(kf_jpeg_decoder *_Nonnull decoder);

// Whether samples of other than 8 bits, and lossless files, can be decoded: libjpeg-turbo is 3 or
// newer.
int kf_jpeg_reads_deep(void);

// Reads up to the first scan, prepares for output of numerator/8 of the stored size, and returns
// the output size. A file of several scans is read completely here. A lossless file is never
// reduced. It and one of other than 8 bits a sample need kf_jpeg_reads_deep.
kf_jpeg_status kf_jpeg_decoder_start(kf_jpeg_decoder *_Nonnull decoder, int numerator,
                                     kf_jpeg_layout layout, int is_lossless, int *_Nonnull width,
                                     int *_Nonnull height);

// Selects columns, and skips rows, before the first row is read. Other columns of the rows keep any
// content. The pixels equal those of the whole image. KF_JPEG_TRUNCATED if the data end before. Not
// for lossless files and other than 8 bits a sample.
kf_jpeg_status kf_jpeg_decoder_select(kf_jpeg_decoder *_Nonnull decoder, int first_column,
                                      int columns, int skipped_rows);

// Decodes the next row of width × 4 bytes. KF_JPEG_TRUNCATED if the data, or the scan by an early
// marker, ended before it.
kf_jpeg_status kf_jpeg_decoder_read_row(kf_jpeg_decoder *_Nonnull decoder, uint8_t *_Nonnull row);

// Whether the file ended between or within scans, or a marker ended a scan early, so that detail is
// missing everywhere.
int kf_jpeg_decoder_lacks_scans(const kf_jpeg_decoder *_Nonnull decoder);

// libjpeg's message for the last status other than KF_JPEG_OK.
const char *_Nonnull kf_jpeg_message(const kf_jpeg_decoder *_Nonnull decoder);

// Creates a decoder for a progressive file that is still arriving. Rows are read with
// kf_jpeg_decoder_read_row between kf_jpeg_scans_start_output and kf_jpeg_scans_finish_output. Not
// for arithmetic coding, in which libjpeg cannot suspend. NULL if memory cannot be allocated.
kf_jpeg_decoder *_Nullable kf_jpeg_scans_create(size_t max_memory, int max_scans, int numerator,
                                                kf_jpeg_layout layout);

// Consumes bytes and sets `used` to their number. The caller passes the rest again, followed by new
// bytes. No pointer is kept after the call.
kf_jpeg_status kf_jpeg_scans_feed(kf_jpeg_decoder *_Nonnull decoder, const uint8_t *_Nonnull bytes,
                                  size_t count, size_t *_Nonnull used);

// The number of complete scans.
int kf_jpeg_scans_completed(kf_jpeg_decoder *_Nonnull decoder);

// Whether the end of the image was reached.
int kf_jpeg_scans_ended(kf_jpeg_decoder *_Nonnull decoder);

// Begins an output pass over the completed scans, of which there must be at least one, and returns
// its size.
kf_jpeg_status kf_jpeg_scans_start_output(kf_jpeg_decoder *_Nonnull decoder, int *_Nonnull width,
                                          int *_Nonnull height);

// Ends an output pass of which all rows were read.
kf_jpeg_status kf_jpeg_scans_finish_output(kf_jpeg_decoder *_Nonnull decoder);

typedef struct kf_jpeg_encoding {
    int width;
    int height;
    int quality;         // 1…100
    int is_progressive;
    int full_chroma;     // 4:4:4 instead of 4:2:0
    int is_grey;         // one channel instead of three
} kf_jpeg_encoding;

// Writes row number `row` as width × 4 bytes of RGBX to `pixels`, or nothing if it is negative;
// returns whether to continue.
typedef int (*kf_jpeg_row_source)(void *_Nonnull context, int row, uint8_t *_Nonnull pixels);

// On success, `*bytes` comes from malloc and belongs to the caller. `message` holds 200 bytes.
kf_jpeg_status kf_jpeg_encode(kf_jpeg_encoding encoding, kf_jpeg_row_source _Nonnull source,
                              void *_Nonnull context, uint8_t *_Nullable *_Nonnull bytes,
                              size_t *_Nonnull count, char *_Nonnull message);

typedef struct kf_jpeg_transcoding {
    size_t max_memory;
    int max_scans;
    int is_progressive;
} kf_jpeg_transcoding;

// Writes a whole file again with optimised Huffman codes, and the same coefficients, application
// segments and comments. Fails for files that libjpeg repairs while it reads. The result and
// `message` are as for kf_jpeg_encode.
kf_jpeg_status kf_jpeg_transcode(kf_jpeg_transcoding transcoding, const uint8_t *_Nonnull file,
                                 size_t file_count, uint8_t *_Nullable *_Nonnull bytes,
                                 size_t *_Nonnull count, char *_Nonnull message);

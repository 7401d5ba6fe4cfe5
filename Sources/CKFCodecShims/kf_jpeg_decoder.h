#pragma once
// Shared by the decoder of whole files and the decoder of arriving ones; not visible to Swift.

#include "kf_jpeg.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

// Scans are skipped only in files with at most this many.
#define KF_JPEG_MAX_SPANS 100

// Bytes of the file.
typedef struct kf_jpeg_span {
    const uint8_t *bytes;
    size_t count;
} kf_jpeg_span;

struct kf_jpeg_decoder {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    int max_scans;
    int has_many_scans;
    // libjpeg requested bytes beyond the end.
    int saw_end;
    // A marker or the end of the file came before the last bits of a scan; libjpeg fills in the
    // rest.
    int lacks_bits;
    // For a file that is still arriving: whether its header was read, and the number of bytes to
    // skip in a segment that is not parsed.
    int has_begun;
    size_t unread;
    // The first column that libjpeg writes.
    size_t first_column;
    // A row as libjpeg writes it, if it is not the caller's of four channels of 8 bits; else NULL.
    void *samples;
    int numerator;
    kf_jpeg_layout layout;
    // The parts of the file that libjpeg reads, if scans are skipped, and the next of them.
    kf_jpeg_span spans[KF_JPEG_MAX_SPANS];
    int span_count;
    int next_span;
    kf_jpeg_status status;
    char message[JMSG_LENGTH_MAX];
};

// A decoder without input; NULL if memory cannot be allocated.
kf_jpeg_decoder *kf_jpeg_decoder_make(struct jpeg_source_mgr source, size_t max_memory,
                                      int max_scans);

// Called after the header was read and before decoding starts.
void kf_jpeg_decoder_set_output(kf_jpeg_decoder *decoder, int numerator, kf_jpeg_layout layout);

// Leaves out the scans that the output does not use. For a whole file in memory, after
// kf_jpeg_decoder_set_output and before decoding starts.
void kf_jpeg_skip_scans(kf_jpeg_decoder *decoder);

// Prepares `samples` once decoding has started, if they are needed.
void kf_jpeg_prepare_samples(kf_jpeg_decoder *decoder, int is_lossless);

// Decodes a row through `samples`; returns the number of rows, 0 or 1.
int kf_jpeg_read_samples(kf_jpeg_decoder *decoder, uint8_t *row);

// Fails by longjmp if the file has more scans than allowed.
void kf_jpeg_check_scans(kf_jpeg_decoder *decoder);

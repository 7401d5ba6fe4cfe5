#pragma once
// Shared by the decoder of whole files and the decoder of arriving ones; not visible to Swift.

#include "kf_jpeg.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

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
    int numerator;
    kf_jpeg_layout layout;
    kf_jpeg_status status;
    char message[JMSG_LENGTH_MAX];
};

// A decoder without input; NULL if memory cannot be allocated.
kf_jpeg_decoder *kf_jpeg_decoder_make(struct jpeg_source_mgr source, size_t max_memory,
                                      int max_scans);

// Called after the header was read and before decoding starts.
void kf_jpeg_decoder_set_output(kf_jpeg_decoder *decoder, int numerator, kf_jpeg_layout layout);

// Fails by longjmp if the file has more scans than allowed.
void kf_jpeg_check_scans(kf_jpeg_decoder *decoder);

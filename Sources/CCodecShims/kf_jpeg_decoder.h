#pragma once
// What the two ways of feeding libjpeg share; not seen by Swift.

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
    // The library asked for bytes beyond the end.
    int saw_end;
    // A marker, or the end of the file, came before the last bits of a scan: the library fills
    // the rest of it in.
    int lacks_bits;
    // Of a file that is still arriving: whether its header was read, and how many of the bytes to
    // come are of a segment that nobody reads.
    int has_begun;
    size_t unread;
    int numerator;
    kf_jpeg_layout layout;
    kf_jpeg_status status;
    char message[JMSG_LENGTH_MAX];
};

// A decoder without input yet; NULL when there is no memory.
kf_jpeg_decoder *kf_jpeg_decoder_make(struct jpeg_source_mgr source, size_t max_memory,
                                      int max_scans);

// To be called between the header and the start.
void kf_jpeg_decoder_set_output(kf_jpeg_decoder *decoder, int numerator, kf_jpeg_layout layout);

// Escapes when the file has more scans than allowed.
void kf_jpeg_check_scans(kf_jpeg_decoder *decoder);

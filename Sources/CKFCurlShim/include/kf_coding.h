#pragma once
#include <stddef.h>
#include <stdint.h>

// Decoders of the content codings of HTTP (RFC 9110, 8.4.1; RFC 8878 for zstd).
typedef enum {
    kf_coding_gzip,
    kf_coding_deflate,
    kf_coding_brotli,
    kf_coding_zstd,
} kf_coding_kind;

// Whether the library that decodes a coding is installed. It is loaded once.
int kf_coding_exists(kf_coding_kind kind);

typedef struct kf_coding kf_coding;

// NULL without the library or without memory.
kf_coding *kf_coding_new(kf_coding_kind kind);
void kf_coding_free(kf_coding *coding);

typedef enum {
    // Another part of the body must follow.
    kf_coding_continues,
    // The body may end here; members of gzip and frames of zstd may still follow.
    kf_coding_complete,
    // Other bytes follow the end.
    kf_coding_trailing,
    kf_coding_damaged,
    // Decoding takes more memory than there is, or than a window of zstd may have.
    kf_coding_no_memory,
} kf_coding_status;

// Decodes a piece of a body.
//
// Returns when the piece is used up, or `output` is full; more output may then be left. `taken` and
// `made` are the numbers of bytes that were read and written.
kf_coding_status kf_coding_decode(
    kf_coding *coding,
    const uint8_t *input,
    size_t count,
    size_t *taken,
    uint8_t *output,
    size_t room,
    size_t *made
);

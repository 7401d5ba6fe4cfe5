#include "kf_coding.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>

// The window of zstd that clients of HTTP have to support, and no more (RFC 9659): 8 MB.
enum { zstd_max_window = 100, zstd_window_bits = 23 };

typedef struct {
    void *bytes;
    size_t size, position;
} zstd_buffer;

// libbrotlidec and libzstd come with most builds of libcurl; their headers do not.
static struct {
    void *(*create)(void *, void *, void *);
    int (*decode)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    int (*error)(void *);
    void (*destroy)(void *);
} brotli;

static struct {
    void *(*create)(void);
    size_t (*limit)(void *, int, int);
    size_t (*decode)(void *, zstd_buffer *, zstd_buffer *);
    unsigned (*is_error)(size_t);
    int (*error)(size_t);
    size_t (*destroy)(void *);
} zstd;

static int has_brotli, has_zstd;

static int fill(const char *file, const char *const *names, void *table, size_t count) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return 0;
    for (size_t i = 0; i < count; i++)
        if (!(((void **)table)[i] = dlsym(library, names[i]))) return 0;
    return 1;
}

static void load(void) {
    static const char *const of_brotli[] = {
        "BrotliDecoderCreateInstance", "BrotliDecoderDecompressStream",
        "BrotliDecoderGetErrorCode", "BrotliDecoderDestroyInstance"};
    static const char *const of_zstd[] = {
        "ZSTD_createDCtx", "ZSTD_DCtx_setParameter", "ZSTD_decompressStream",
        "ZSTD_isError", "ZSTD_getErrorCode", "ZSTD_freeDCtx"};
    has_brotli = fill("libbrotlidec.so.1", of_brotli, &brotli, 4);
    has_zstd = fill("libzstd.so.1", of_zstd, &zstd, 6);
}

int kf_coding_exists(kf_coding_kind kind) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    switch (kind) {
    case kf_coding_gzip: case kf_coding_deflate: return 1;
    case kf_coding_brotli: return has_brotli;
    case kf_coding_zstd: return has_zstd;
    }
    return 0;
}

struct kf_coding {
    kf_coding_kind kind;
    kf_coding_status status;
    // Whether `zlib` is initialized: the first byte of deflate decides how.
    int has_begun;
    z_stream zlib;
    void *other;
};

kf_coding *kf_coding_new(kf_coding_kind kind) {
    kf_coding *coding = kf_coding_exists(kind) ? calloc(1, sizeof *coding) : NULL;
    if (!coding) return NULL;
    coding->kind = kind;
    if (kind == kf_coding_brotli) coding->other = brotli.create(NULL, NULL, NULL);
    if (kind == kf_coding_zstd && (coding->other = zstd.create()))
        zstd.limit(coding->other, zstd_max_window, zstd_window_bits);
    if (kind == kf_coding_gzip || kind == kf_coding_deflate || coding->other) return coding;
    free(coding);
    return NULL;
}

void kf_coding_free(kf_coding *coding) {
    if (coding->has_begun) inflateEnd(&coding->zlib);
    if (coding->other && coding->kind == kf_coding_brotli) brotli.destroy(coding->other);
    if (coding->other && coding->kind == kf_coding_zstd) zstd.destroy(coding->other);
    free(coding);
}

static kf_coding_status begin_zlib(kf_coding *coding, uint8_t first) {
    int bits = 15;
    if (coding->kind == kf_coding_gzip) bits += 16;
    // Some servers send deflate without the header of zlib, which begins with 8 in the lower half.
    // A block that begins so would be stored, with bits that must be 0.
    else if ((first & 15) != 8 || first >> 4 > 7) bits = -15;
    coding->has_begun = inflateInit2(&coding->zlib, bits) == Z_OK;
    return coding->has_begun ? kf_coding_continues : kf_coding_no_memory;
}

static kf_coding_status decode_zlib(kf_coding *coding) {
    switch (inflate(&coding->zlib, Z_NO_FLUSH)) {
    // No progress without more input or output is no error.
    case Z_OK: case Z_BUF_ERROR: return kf_coding_continues;
    case Z_STREAM_END: return kf_coding_complete;
    case Z_MEM_ERROR: return kf_coding_no_memory;
    default: return kf_coding_damaged;
    }
}

static kf_coding_status decode_brotli(kf_coding *coding, zstd_buffer *in, zstd_buffer *out) {
    size_t left = in->size - in->position, room = out->size - out->position;
    const uint8_t *next = (const uint8_t *)in->bytes + in->position;
    uint8_t *end = (uint8_t *)out->bytes + out->position;
    int result = brotli.decode(coding->other, &left, &next, &room, &end, NULL);
    in->position = in->size - left;
    out->position = out->size - room;
    if (result == 1) return kf_coding_complete;
    if (result != 0) return kf_coding_continues;
    // BROTLI_DECODER_ERROR_ALLOC_…
    int error = brotli.error(coding->other);
    return error <= -21 && error >= -30 ? kf_coding_no_memory : kf_coding_damaged;
}

static kf_coding_status decode_zstd(kf_coding *coding, zstd_buffer *in, zstd_buffer *out) {
    size_t result = zstd.decode(coding->other, out, in);
    if (zstd.is_error(result)) {
        // ZSTD_error_memory_allocation and ZSTD_error_frameParameter_windowTooLarge
        int error = zstd.error(result);
        return error == 64 || error == 16 ? kf_coding_no_memory : kf_coding_damaged;
    }
    return result == 0 ? kf_coding_complete : kf_coding_continues;
}

// Begins the member of gzip or the frame of zstd that follows a complete one.
static kf_coding_status begin_member(kf_coding *coding, uint8_t first) {
    if (coding->kind == kf_coding_gzip && first == 0x1F && inflateReset(&coding->zlib) == Z_OK)
        return kf_coding_continues;
    // A frame, or one to skip.
    if (coding->kind == kf_coding_zstd && (first == 0x28 || first >> 4 == 5))
        return kf_coding_continues;
    return kf_coding_trailing;
}

kf_coding_status kf_coding_decode(
    kf_coding *coding,
    const uint8_t *input,
    size_t count,
    size_t *taken,
    uint8_t *output,
    size_t room,
    size_t *made
) {
    zstd_buffer in = {(void *)input, count, 0}, out = {output, room, 0};
    int is_zlib = coding->kind == kf_coding_gzip || coding->kind == kf_coding_deflate;
    if (is_zlib && !coding->has_begun && count > 0) coding->status = begin_zlib(coding, *input);
    for (;;) {
        if (coding->status == kf_coding_complete && in.position < count)
            coding->status = begin_member(coding, input[in.position]);
        if (coding->status != kf_coding_continues || (is_zlib && !coding->has_begun)) break;
        size_t before = in.position + out.position;
        if (is_zlib) {
            coding->zlib.next_in = (Bytef *)input + in.position;
            coding->zlib.avail_in = (uInt)(count - in.position);
            coding->zlib.next_out = output + out.position;
            coding->zlib.avail_out = (uInt)(room - out.position);
            coding->status = decode_zlib(coding);
            in.position = count - coding->zlib.avail_in;
            out.position = room - coding->zlib.avail_out;
        } else if (coding->kind == kf_coding_brotli) {
            coding->status = decode_brotli(coding, &in, &out);
        } else {
            coding->status = decode_zstd(coding, &in, &out);
        }
        // zstd can have output left though its input ended.
        if (out.position == room || in.position + out.position == before) break;
    }
    *taken = in.position;
    *made = out.position;
    return coding->status;
}

// Runs each entry point of the shims while allocations fail: the first, the second and so on, each
// once alone and once with all later ones. Every run must end with an error or with the result of a
// run without failures, and free each block once. See Scripts/memory.sh, which builds this with the
// address sanitizer, and the shims with shim_malloc for malloc and so on.
//
// Usage: faults FIXTURES
#include "CKFCodecShims.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- The allocator ---

// The sanitizer's own functions, which stay callable when a program defines its own.
void *___interceptor_malloc(size_t count);
void *___interceptor_calloc(size_t number, size_t count);
void *___interceptor_realloc(void *block, size_t count);
void *___interceptor_aligned_alloc(size_t alignment, size_t count);
int ___interceptor_posix_memalign(void **block, size_t alignment, size_t count);
void ___interceptor_free(void *block);

// Atomic, because codecs start threads.
static atomic_long calls, blocks;
static long failing_from, failing_to;
// Whether allocations of the libraries count and fail, too.
static int includes_libraries;

static int fails_now(void) {
    long call = ++calls;
    return call >= failing_from && call <= failing_to;
}

static int fails(void) { return includes_libraries && fails_now(); }

static void *counted(void *block) {
    if (block != NULL) blocks++;
    return block;
}

void *malloc(size_t count) { return fails() ? NULL : counted(___interceptor_malloc(count)); }

void *calloc(size_t number, size_t count) {
    return fails() ? NULL : counted(___interceptor_calloc(number, count));
}

void *realloc(void *block, size_t count) {
    if (block == NULL) return malloc(count);
    return fails() ? NULL : ___interceptor_realloc(block, count);
}

// Codecs allocate their planes with these.
void *aligned_alloc(size_t alignment, size_t count) {
    return fails() ? NULL : counted(___interceptor_aligned_alloc(alignment, count));
}

void *memalign(size_t alignment, size_t count) { return aligned_alloc(alignment, count); }

int posix_memalign(void **block, size_t alignment, size_t count) {
    if (fails()) return ENOMEM;
    int status = ___interceptor_posix_memalign(block, alignment, count);
    if (status == 0) (void)counted(*block);
    return status;
}

void free(void *block) {
    if (block != NULL) blocks--;
    ___interceptor_free(block);
}

void *shim_malloc(size_t count) {
    return fails_now() ? NULL : counted(___interceptor_malloc(count));
}

void *shim_calloc(size_t number, size_t count) {
    return fails_now() ? NULL : counted(___interceptor_calloc(number, count));
}

void *shim_realloc(void *block, size_t count) {
    if (block == NULL) return shim_malloc(count);
    return fails_now() ? NULL : ___interceptor_realloc(block, count);
}

// --- Shared by the cases ---

typedef struct file {
    uint8_t *bytes;
    size_t count;
} file;

static const char *fixtures;

static file read_file(const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", fixtures, name);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        perror(path);
        exit(2);
    }
    file result = {malloc(1 << 20), 0};
    result.count = fread(result.bytes, 1, 1 << 20, stream);
    fclose(stream);
    return result;
}

// The status of a run, 0 for success, and a checksum of its result.
typedef struct outcome {
    int status;
    uint64_t sum;
} outcome;

static void add(outcome *result, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) result->sum = (result->sum ^ bytes[i]) * 1099511628211u;
}

static uint8_t row_buffer[4 * 4096];
static uint8_t picture_buffer[4 << 20];

// --- JPEG ---

static int noise_row(void *context, int row, uint8_t *pixels) {
    uint32_t state = (uint32_t)row + 1;
    for (int i = 0; row >= 0 && i < *(int *)context * 4; i++) {
        state = state * 1664525u + 1013904223u;
        pixels[i] = (uint8_t)(state >> 24);
    }
    return 1;
}

static outcome encode_jpeg(int is_progressive) {
    kf_jpeg_encoding encoding = {
        .width = 300, .height = 200, .quality = 95, .is_progressive = is_progressive};
    char message[200] = "";
    uint8_t *bytes = NULL;
    size_t count = 0;
    outcome result = {0, 0};
    result.status = kf_jpeg_encode(encoding, noise_row, &encoding.width, &bytes, &count, message);
    if (result.status == KF_JPEG_OK) {
        add(&result, bytes, count);
        free(bytes);
    }
    return result;
}

static outcome encode_baseline_jpeg(file input) {
    (void)input;
    return encode_jpeg(0);
}

static outcome encode_progressive_jpeg(file input) {
    (void)input;
    return encode_jpeg(1);
}

static outcome transcode_jpeg(file input) {
    kf_jpeg_transcoding transcoding = {
        .max_memory = 64 << 20, .max_scans = 100, .is_progressive = 1};
    char message[200] = "";
    uint8_t *bytes = NULL;
    size_t count = 0;
    outcome result = {0, 0};
    result.status =
        kf_jpeg_transcode(transcoding, input.bytes, input.count, &bytes, &count, message);
    if (result.status == KF_JPEG_OK) {
        add(&result, bytes, count);
        free(bytes);
    }
    return result;
}

static void read_jpeg_rows(kf_jpeg_decoder *decoder, int width, int height, outcome *result) {
    for (int y = 0; y < height && result->status == KF_JPEG_OK; y++) {
        result->status = kf_jpeg_decoder_read_row(decoder, row_buffer);
        add(result, row_buffer, (size_t)width * 4);
    }
}

static outcome decode_jpeg(file input) {
    outcome result = {KF_JPEG_TOO_MUCH_MEMORY, 0};
    kf_jpeg_decoder *decoder = kf_jpeg_decoder_create(input.bytes, input.count, 64 << 20, 100);
    if (decoder == NULL) return result;
    int width = 0, height = 0;
    result.status = kf_jpeg_decoder_start(decoder, 8, KF_JPEG_RGBA, 0, &width, &height);
    read_jpeg_rows(decoder, width, height, &result);
    kf_jpeg_decoder_destroy(decoder);
    return result;
}

static outcome decode_jpeg_scans(file input) {
    outcome result = {KF_JPEG_TOO_MUCH_MEMORY, 0};
    kf_jpeg_decoder *decoder = kf_jpeg_scans_create(64 << 20, 100, 8, KF_JPEG_RGBA);
    if (decoder == NULL) return result;
    result.status = KF_JPEG_OK;
    size_t start = 0, end = 0;
    while (end < input.count && result.status == KF_JPEG_OK) {
        size_t used = 0;
        end = end + 500 < input.count ? end + 500 : input.count;
        result.status = kf_jpeg_scans_feed(decoder, input.bytes + start, end - start, &used);
        start += used;
    }
    int width = 0, height = 0;
    if (result.status == KF_JPEG_OK)
        result.status = kf_jpeg_scans_start_output(decoder, &width, &height);
    read_jpeg_rows(decoder, width, height, &result);
    if (result.status == KF_JPEG_OK) result.status = kf_jpeg_scans_finish_output(decoder);
    kf_jpeg_decoder_destroy(decoder);
    return result;
}

// --- PNG ---

static void read_png(kf_png_decoder *decoder, outcome *result) {
    kf_png_header header;
    result->status = kf_png_decoder_start(decoder, &header);
    if (result->status != KF_PNG_OK) return;
    size_t row_bytes = (size_t)header.width * (size_t)header.channels;
    if (header.is_interlaced) {
        uint32_t rows = 0;
        result->status = kf_png_decoder_read_picture(decoder, picture_buffer, row_bytes, &rows);
        add(result, picture_buffer, row_bytes * rows);
        return;
    }
    for (uint32_t y = 0; y < header.height && result->status == KF_PNG_OK; y++) {
        result->status = kf_png_decoder_read_row(decoder, row_buffer);
        add(result, row_buffer, row_bytes);
    }
}

static outcome decode_png(file input) {
    outcome result = {KF_PNG_CORRUPT, 0};
    kf_png_decoder *decoder = kf_png_decoder_create(input.bytes, input.count, 4096, KF_PNG_FASTEST);
    if (decoder == NULL) return result;
    read_png(decoder, &result);
    kf_png_decoder_destroy(decoder);
    return result;
}

static outcome compress_runs(file input) {
    outcome result = {KF_PNG_CORRUPT, 0};
    size_t count = kf_deflate_runs(input.bytes, input.count, picture_buffer, sizeof picture_buffer);
    if (count == 0) return result;
    result.status = KF_PNG_OK;
    add(&result, picture_buffer, count);
    return result;
}

// --- The libraries that are loaded when they are needed ---

// Without memory, libtiff 4.5 dereferences a null pointer, libheif throws C++ exceptions and GLib
// ends the process: only the shims' own allocations fail here.

typedef struct rows {
    outcome result;
    size_t row_bytes;
} rows;

static void take_row(void *context, const void *row) {
    rows *taken = context;
    add(&taken->result, row, taken->row_bytes);
}

static outcome decode_picture(file input, kf_picture_kind kind) {
    rows taken = {{KF_PICTURE_TOO_MUCH_MEMORY, 0}, 0};
    kf_picture *picture = kf_picture_create(kind, input.bytes, input.count, 64 << 20, 4096);
    if (picture == NULL) return taken.result;
    kf_picture_info info;
    taken.result.status = kf_picture_read_header(picture, &info);
    taken.row_bytes = (size_t)info.width * 4;
    if (taken.result.status == KF_PICTURE_OK)
        taken.result.status =
            kf_picture_read_rows(picture, info.width, info.height, take_row, &taken);
    kf_picture_destroy(picture);
    return taken.result;
}

static outcome decode_tiff(file input) { return decode_picture(input, KF_PICTURE_TIFF); }

static outcome decode_heif(file input) { return decode_picture(input, KF_PICTURE_HEIF); }

static outcome decode_svg(file input) { return decode_picture(input, KF_PICTURE_SVG); }

static outcome decode_jxl(file input) { return decode_picture(input, KF_PICTURE_JXL); }

static outcome encode_jxl(file input) {
    (void)input;
    kf_jxl_encoding encoding = {.width = 300, .height = 200, .has_alpha = 1, .is_lossless = 1};
    for (int y = 0; y < encoding.height; y++)
        (void)noise_row(&encoding.width, y, picture_buffer + (size_t)y * 300 * 4);
    uint8_t *bytes = NULL;
    size_t count = 0;
    outcome result = {kf_jxl_encode(encoding, picture_buffer, &bytes, &count), 0};
    if (result.status == KF_PICTURE_OK) {
        add(&result, bytes, count);
        free(bytes);
    }
    return result;
}

// --- The runs ---

typedef struct test {
    const char *name;
    outcome (*run)(file input);
    const char *fixture;
    int spares_libraries;
    kf_picture_kind kind;
} test;

static const test tests[] = {
    {"encode a baseline JPEG", encode_baseline_jpeg, NULL, 0, 0},
    {"encode a progressive JPEG", encode_progressive_jpeg, NULL, 0, 0},
    {"write a JPEG again", transcode_jpeg, "baseline.jpg", 0, 0},
    {"decode a JPEG", decode_jpeg, "baseline.jpg", 0, 0},
    {"decode a progressive JPEG", decode_jpeg, "progressive.jpg", 0, 0},
    {"decode a JPEG by scans", decode_jpeg_scans, "progressive.jpg", 0, 0},
    {"decode a PNG", decode_png, "rgb8.png", 0, 0},
    {"decode a PNG with a palette", decode_png, "palette8-clear.png", 0, 0},
    {"decode a PNG with a profile", decode_png, "profile-alpha.png", 0, 0},
    {"decode a PNG with a gamma", decode_png, "linear.png", 0, 0},
    {"decode an interlaced PNG", decode_png, "rgb8-interlaced.png", 0, 0},
    {"compress by runs", compress_runs, "rgb24.bmp", 0, 0},
    {"decode a TIFF in strips", decode_tiff, "deflate.tiff", 1, KF_PICTURE_TIFF},
    {"decode a TIFF of 16 bits", decode_tiff, "rgb16.tiff", 1, KF_PICTURE_TIFF},
    {"decode a TIFF in tiles", decode_tiff, "tiles.tiff", 1, KF_PICTURE_TIFF},
    {"decode a TIFF with a palette", decode_tiff, "palette.tiff", 1, KF_PICTURE_TIFF},
    {"decode a TIFF with a profile", decode_tiff, "profile.tiff", 1, KF_PICTURE_TIFF},
    {"decode a HEIF with a profile", decode_heif, "profile.heic", 1, KF_PICTURE_HEIF},
    {"decode a HEIF of 10 bits", decode_heif, "deep.heic", 1, KF_PICTURE_HEIF},
    {"decode an SVG", decode_svg, "sized.svg", 1, KF_PICTURE_SVG},
    {"decode a JPEG XL", decode_jxl, "lossy-profile.jxl", 1, KF_PICTURE_JXL},
    {"decode a JPEG XL of 16 bits", decode_jxl, "lossless16.jxl", 1, KF_PICTURE_JXL},
    {"encode a JPEG XL", encode_jxl, NULL, 1, KF_PICTURE_JXL},
};

// Runs a test while allocations `from` to `to` fail, and compares it with a run without failures.
// Returns whether any allocation failed.
static int disturb(const test *test, file input, outcome expected, long from, long to, int *wrong) {
    long before = blocks;
    calls = 0;
    failing_from = from;
    failing_to = to;
    outcome result = test->run(input);
    int has_failed = calls >= from;
    failing_from = failing_to = 0;
    const char *fault = NULL;
    if (result.status == 0 && result.sum != expected.sum) fault = "a wrong result";
    if (blocks > before) fault = "memory that is not freed";
    // The sanitizer reports a double free itself and ends the run.
    if (fault != NULL) {
        printf("%s: %s when allocation %ld%s fails\n", test->name, fault, from,
               to > from ? " and those after it" : "");
        *wrong = 1;
    }
    return has_failed;
}

static int check(const test *test) {
    file input = {NULL, 0};
    if (test->fixture != NULL) input = read_file(test->fixture);
    includes_libraries = !test->spares_libraries;
    if (test->spares_libraries && !kf_picture_load(test->kind)) {
        printf("%-32s its library is not installed\n", test->name);
        free(input.bytes);
        return 0;
    }
    // Twice: allocations that a library makes once are kept.
    outcome expected = test->run(input);
    expected = test->run(input);
    int wrong = expected.status != 0;
    if (wrong) printf("%s: fails without a fault, status %d\n", test->name, expected.status);
    long number = 1;
    while (!wrong && disturb(test, input, expected, number, number, &wrong)) {
        (void)disturb(test, input, expected, number, __LONG_MAX__, &wrong);
        number++;
    }
    printf("%-32s %4ld allocations\n", test->name, number - 1);
    fflush(stdout);
    free(input.bytes);
    return wrong;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: %s FIXTURES\n", arguments[0]);
        return 2;
    }
    fixtures = arguments[1];
    int wrong = 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) wrong |= check(&tests[i]);
    return wrong;
}

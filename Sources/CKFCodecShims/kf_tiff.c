#include "abi_tiff.h"
#include "kf_tiff_samples.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(DO) \
    DO(TIFFClientOpenExt) \
    DO(TIFFClose) \
    DO(TIFFGetField) \
    DO(TIFFGetFieldDefaulted) \
    DO(TIFFIsTiled) \
    DO(TIFFOpenOptionsAlloc) \
    DO(TIFFOpenOptionsFree) \
    DO(TIFFOpenOptionsSetErrorHandlerExtR) \
    DO(TIFFOpenOptionsSetMaxSingleMemAlloc) \
    DO(TIFFOpenOptionsSetWarningHandlerExtR) \
    DO(TIFFRGBAImageBegin) \
    DO(TIFFRGBAImageEnd) \
    DO(TIFFRGBAImageGet) \
    DO(TIFFRGBAImageOK)

static struct {
    FUNCTIONS(KF_FIELD)
} tiff;

#define FILL(name) KF_FIND(tiff, name)

static int find_functions(void *library) {
    FUNCTIONS(FILL)
    return kf_tiff_samples_find(library);
}

static int load(void) {
    static const char *const files[] = {"libtiff.so.6", NULL};
    return kf_library_load(files, find_functions);
}

typedef struct tiff_state {
    TIFF *file;
    toff_t position;
    int saw_end;
    kf_picture *picture;
    // Whether the samples are read by kf_tiff_samples_read; otherwise libtiff makes RGBA of them.
    int has_samples;
    kf_tiff_samples samples;
} tiff_state;

// --- The file, in memory ---

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t count) {
    tiff_state *state = handle;
    size_t size = state->picture->count;
    size_t left = state->position < size ? size - (size_t)state->position : 0;
    if ((size_t)count > left) {
        state->saw_end = 1;
        count = (tmsize_t)left;
    }
    if (count <= 0) return 0;
    memcpy(target, state->picture->bytes + state->position, (size_t)count);
    state->position += (toff_t)count;
    return count;
}

static tmsize_t write_bytes(thandle_t handle, void *source, tmsize_t count) {
    (void)handle;
    (void)source;
    (void)count;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int from) {
    tiff_state *state = handle;
    if (from == SEEK_CUR) offset += state->position;
    if (from == SEEK_END) offset += state->picture->count;
    if (offset > state->picture->count) state->saw_end = 1;
    state->position = offset;
    return offset;
}

static int close_file(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle) { return ((tiff_state *)handle)->picture->count; }

static int complain(TIFF *file, void *user, const char *module, const char *format,
                    va_list arguments) {
    (void)file;
    (void)module;
    kf_picture *picture = user;
    vsnprintf(picture->message, sizeof picture->message, format, arguments);
    // 1: handled, so that libtiff does not write to standard error.
    return 1;
}

static int say_nothing(TIFF *file, void *user, const char *module, const char *format,
                       va_list arguments) {
    (void)file;
    (void)user;
    (void)module;
    (void)format;
    (void)arguments;
    return 1;
}

static kf_picture_status failure(kf_picture *picture) {
    tiff_state *state = picture->state;
    if (state->saw_end) return KF_PICTURE_TRUNCATED;
    if (strstr(picture->message, "MaxSingleMemAlloc") != NULL) return KF_PICTURE_TOO_MUCH_MEMORY;
    if (strstr(picture->message, "not configured") != NULL
        || strstr(picture->message, "not implemented") != NULL
        || strncmp(picture->message, "Sorry", 5) == 0)
        return KF_PICTURE_UNSUPPORTED;
    return KF_PICTURE_CORRUPT;
}

// --- The header ---

static int open_file(kf_picture *picture, tiff_state *state) {
    TIFFOpenOptions *options = tiff.TIFFOpenOptionsAlloc();
    if (options == NULL) return 0;
    tiff.TIFFOpenOptionsSetErrorHandlerExtR(options, complain, picture);
    tiff.TIFFOpenOptionsSetWarningHandlerExtR(options, say_nothing, NULL);
    size_t limit = picture->max_memory < INT32_MAX ? picture->max_memory : INT32_MAX;
    tiff.TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)limit);
    // m: no memory mapping; the file is in memory already.
    state->file = tiff.TIFFClientOpenExt("memory", "rm", state, read_bytes, write_bytes, seek,
                                    close_file, size_of, NULL, NULL, options);
    tiff.TIFFOpenOptionsFree(options);
    return state->file != NULL;
}

// The rows of a strip or a tile, which libtiff decodes at once anyway.
static uint32_t band_height(TIFF *file, uint32_t height) {
    uint32_t rows = 0;
    if (tiff.TIFFIsTiled(file)) {
        tiff.TIFFGetField(file, TIFFTAG_TILELENGTH, &rows);
    } else {
        tiff.TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &rows);
    }
    return rows == 0 || rows > height ? height : rows;
}

static kf_picture_status read_header(kf_picture *picture) {
    tiff_state *state = picture->state = calloc(1, sizeof *state);
    if (state == NULL) return KF_PICTURE_TOO_MUCH_MEMORY;
    state->picture = picture;
    if (!open_file(picture, state)) return failure(picture);
    uint32_t width = 0;
    uint32_t height = 0;
    uint16_t bits = 1;
    uint16_t orientation = 1;
    tiff.TIFFGetField(state->file, TIFFTAG_IMAGEWIDTH, &width);
    tiff.TIFFGetField(state->file, TIFFTAG_IMAGELENGTH, &height);
    tiff.TIFFGetFieldDefaulted(state->file, TIFFTAG_BITSPERSAMPLE, &bits);
    tiff.TIFFGetFieldDefaulted(state->file, TIFFTAG_ORIENTATION, &orientation);
    if (width > INT32_MAX || height > INT32_MAX)
        return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "an invalid size");
    picture->info.width = (int)width;
    picture->info.height = (int)height;
    picture->info.bits_per_channel = bits;
    picture->info.orientation = orientation >= 1 && orientation <= 8 ? orientation : 1;
    state->has_samples = kf_tiff_samples_describe(state->file, &state->samples);
    if (state->has_samples) {
        picture->info.has_alpha = state->samples.alpha >= 0;
        picture->info.is_deep = kf_tiff_samples_are_deep(&state->samples);
        picture->info.is_premultiplied = kf_tiff_is_associated(state->file);
    } else {
        picture->info.has_alpha = kf_tiff_alpha(state->file, 3) >= 0;
        // libtiff delivers premultiplied pixels.
        picture->info.is_premultiplied = 1;
    }
    uint32_t count = 0;
    void *profile = NULL;
    if (tiff.TIFFGetField(state->file, TIFFTAG_ICCPROFILE, &count, &profile) && count > 0) {
        kf_picture_keep_profile(picture, profile, count);
        picture->info.has_profile = 1;
    }
    return KF_PICTURE_OK;
}

// --- The pixels ---

static kf_picture_status read_bands(kf_picture *picture, TIFFRGBAImage *image, uint32_t *pixels,
                                    uint32_t rows, kf_picture_row row, void *context) {
    for (uint32_t start = 0; start < image->height; start += rows) {
        uint32_t count = image->height - start < rows ? image->height - start : rows;
        image->row_offset = (int)start;
        memset(pixels, 0, (size_t)image->width * count * 4);
        if (!tiff.TIFFRGBAImageGet(image, pixels, image->width, count)) return failure(picture);
        for (uint32_t y = 0; y < count; y++) row(context, pixels + (size_t)image->width * y);
    }
    return KF_PICTURE_OK;
}

static kf_picture_status read_samples(kf_picture *picture, kf_picture_row row, void *context) {
    tiff_state *state = picture->state;
    int status = kf_tiff_samples_read(&state->samples, picture->max_memory, picture->info.is_deep,
                                      row, context);
    if (status < 0) return kf_picture_fail(picture, KF_PICTURE_TOO_MUCH_MEMORY, "no memory");
    return status > 0 ? KF_PICTURE_OK : failure(picture);
}

static kf_picture_status read_rows(kf_picture *picture, int width, int height, kf_picture_row row,
                                   void *context) {
    (void)width;
    (void)height;
    tiff_state *state = picture->state;
    if (state->file == NULL) return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "no header");
    if (state->has_samples) return read_samples(picture, row, context);
    // The function requires 1,024 characters.
    char message[1024] = "";
    if (!tiff.TIFFRGBAImageOK(state->file, message)) {
        return kf_picture_fail(picture, KF_PICTURE_UNSUPPORTED, message);
    }
    TIFFRGBAImage image;
    if (!tiff.TIFFRGBAImageBegin(&image, state->file, 1, message)) {
        (void)kf_picture_fail(picture, KF_PICTURE_CORRUPT, message);
        return failure(picture);
    }
    // As stored: the orientation is applied in one place for all formats.
    image.req_orientation = image.orientation;
    uint32_t rows = band_height(state->file, image.height);
    size_t count = kf_picture_raster_bytes(picture, (int)image.width, (int)rows);
    uint32_t *pixels = count ? malloc(count) : NULL;
    kf_picture_status status = KF_PICTURE_TOO_MUCH_MEMORY;
    if (pixels != NULL) status = read_bands(picture, &image, pixels, rows, row, context);
    free(pixels);
    tiff.TIFFRGBAImageEnd(&image);
    return status;
}

static void destroy(kf_picture *picture) {
    tiff_state *state = picture->state;
    if (state->file != NULL) tiff.TIFFClose(state->file);
    free(state);
}

const kf_picture_functions kf_tiff_functions = {load, read_header, read_rows, destroy};

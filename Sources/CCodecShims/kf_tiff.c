#include "abi_tiff.h"
#include "kf_picture_internal.h"

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
    return 1;
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

static int has_alpha(TIFF *file) {
    uint16_t count = 0;
    uint16_t *kinds = NULL;
    uint16_t samples = 1;
    uint16_t photometric = PHOTOMETRIC_MINISBLACK;
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &count, &kinds);
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples);
    tiff.TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &photometric);
    if (count == 0 || photometric == PHOTOMETRIC_PALETTE) return 0;
    if (kinds[0] == EXTRASAMPLE_ASSOCALPHA || kinds[0] == EXTRASAMPLE_UNASSALPHA) return 1;
    // Like most programs, libtiff treats an unspecified fourth channel as alpha.
    return kinds[0] == EXTRASAMPLE_UNSPECIFIED && samples > 3;
}

// Whether colours are stored premultiplied; as libtiff, an unspecified channel counts as such.
static int is_associated(TIFF *file) {
    uint16_t count = 0;
    uint16_t *kinds = NULL;
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &count, &kinds);
    return count > 0 && kinds[0] != EXTRASAMPLE_UNASSALPHA;
}

// Whether put_deep reads the samples.
static int is_deep(TIFF *file) {
    uint16_t bits = 1, samples = 1, planes = PLANARCONFIG_CONTIG, photometric = 0, format = 1;
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &bits);
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples);
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &planes);
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &format);
    if (!tiff.TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &photometric)) return 0;
    if (bits != 16 || planes != PLANARCONFIG_CONTIG || format != SAMPLEFORMAT_UINT) return 0;
    if (photometric == PHOTOMETRIC_RGB) return samples >= (has_alpha(file) ? 4 : 3);
    return (photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE)
        && samples >= (has_alpha(file) ? 2 : 1);
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

// Whether there is memory for both rasters of such an image; libtiff reads larger ones as 8 bits.
static int fits_deep(const kf_picture *picture, TIFF *file) {
    uint32_t rows = band_height(file, (uint32_t)picture->info.height);
    size_t count = kf_picture_raster_bytes(picture, picture->info.width, (int)rows);
    return count > 0 && count <= picture->max_memory / 3;
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
    picture->info.has_alpha = has_alpha(state->file);
    picture->info.is_deep = is_deep(state->file) && fits_deep(picture, state->file);
    // libtiff delivers premultiplied pixels, but 16 bits are copied.
    picture->info.is_premultiplied = !picture->info.is_deep || is_associated(state->file);
    uint32_t count = 0;
    void *profile = NULL;
    if (tiff.TIFFGetField(state->file, TIFFTAG_ICCPROFILE, &count, &profile) && count > 0) {
        kf_picture_keep_profile(picture, profile, count);
        picture->info.has_profile = 1;
    }
    return KF_PICTURE_OK;
}

// --- The pixels ---

// libtiff's reader of rows, which would truncate 16 bits to 8, with a raster of its own for them.
typedef struct deep_image {
    TIFFRGBAImage image;
    uint32_t *pixels;
    // Four channels for each of `pixels`.
    uint16_t *deep;
} deep_image;

static kf_picture_status read_bands(kf_picture *picture, deep_image *own, uint32_t rows,
                                    kf_picture_row row, void *context) {
    TIFFRGBAImage *image = &own->image;
    for (uint32_t start = 0; start < image->height; start += rows) {
        uint32_t count = image->height - start < rows ? image->height - start : rows;
        image->row_offset = (int)start;
        memset(own->pixels, 0, (size_t)image->width * count * 4);
        if (own->deep != NULL) memset(own->deep, 0, (size_t)image->width * count * 8);
        if (!tiff.TIFFRGBAImageGet(image, own->pixels, image->width, count)) return failure(picture);
        for (uint32_t y = 0; y < count; y++) {
            size_t place = (size_t)image->width * y;
            if (own->deep != NULL) {
                row(context, own->deep + place * 4);
            } else {
                row(context, own->pixels + place);
            }
        }
    }
    return KF_PICTURE_OK;
}

// Copies grey, RGB or RGBA of 16 bits. Skews count pixels.
static void put_deep(TIFFRGBAImage *image, uint32_t *target, uint32_t x, uint32_t y,
                     uint32_t width, uint32_t height, int32_t from_skew, int32_t to_skew,
                     unsigned char *source) {
    (void)x;
    (void)y;
    deep_image *own = (deep_image *)image;
    uint16_t *to = own->deep + (target - own->pixels) * 4;
    const uint16_t *sample = (const uint16_t *)(const void *)source;
    int step = image->samplesperpixel;
    int is_grey = image->photometric != PHOTOMETRIC_RGB;
    uint16_t flip = image->photometric == PHOTOMETRIC_MINISWHITE ? 0xFFFF : 0;
    for (; height > 0; height--) {
        for (uint32_t count = width; count > 0; count--) {
            for (int c = 0; c < 3; c++) to[c] = sample[is_grey ? 0 : c] ^ flip;
            to[3] = image->alpha ? sample[is_grey ? 1 : 3] : 0xFFFF;
            to += 4;
            sample += step;
        }
        sample += (ptrdiff_t)from_skew * step;
        to += (ptrdiff_t)to_skew * 4;
    }
}

static kf_picture_status read_rows(kf_picture *picture, int width, int height, kf_picture_row row,
                                   void *context) {
    (void)width;
    (void)height;
    tiff_state *state = picture->state;
    if (state->file == NULL) return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "no header");
    // The function requires 1,024 characters.
    char message[1024] = "";
    if (!tiff.TIFFRGBAImageOK(state->file, message)) {
        return kf_picture_fail(picture, KF_PICTURE_UNSUPPORTED, message);
    }
    deep_image own = {0};
    TIFFRGBAImage *image = &own.image;
    if (!tiff.TIFFRGBAImageBegin(image, state->file, 1, message)) {
        (void)kf_picture_fail(picture, KF_PICTURE_CORRUPT, message);
        return failure(picture);
    }
    // As stored: the orientation is applied in one place for all formats.
    image->req_orientation = image->orientation;
    uint32_t rows = band_height(state->file, image->height);
    size_t count = kf_picture_raster_bytes(picture, (int)image->width, (int)rows);
    own.pixels = count ? malloc(count) : NULL;
    if (picture->info.is_deep) {
        image->put.contig = put_deep;
        own.deep = count ? malloc(count * 2) : NULL;
    }
    kf_picture_status status = KF_PICTURE_TOO_MUCH_MEMORY;
    if (own.pixels != NULL && (own.deep != NULL || !picture->info.is_deep))
        status = read_bands(picture, &own, rows, row, context);
    free(own.pixels);
    free(own.deep);
    tiff.TIFFRGBAImageEnd(image);
    return status;
}

static void destroy(kf_picture *picture) {
    tiff_state *state = picture->state;
    if (state->file != NULL) tiff.TIFFClose(state->file);
    free(state);
}

const kf_picture_functions kf_tiff_functions = {load, read_header, read_rows, destroy};

#include "kf_tiff_samples.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(DO) \
    DO(TIFFComputeStrip) \
    DO(TIFFComputeTile) \
    DO(TIFFGetField) \
    DO(TIFFGetFieldDefaulted) \
    DO(TIFFIsTiled) \
    DO(TIFFReadEncodedStrip) \
    DO(TIFFReadEncodedTile)

static struct {
    FUNCTIONS(KF_FIELD)
} tiff;

#define FILL(name) KF_FIND(tiff, name)

int kf_tiff_samples_find(void *library) {
    FUNCTIONS(FILL)
    return 1;
}

// --- What the file has ---

int kf_tiff_is_associated(TIFF *file) {
    uint16_t count = 0;
    uint16_t *kinds = NULL;
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &count, &kinds);
    for (int i = 0; i < count; i++)
        if (kinds[i] != EXTRASAMPLE_UNSPECIFIED) return kinds[i] == EXTRASAMPLE_ASSOCALPHA;
    return count > 0;
}

int kf_tiff_alpha(TIFF *file, int colors) {
    uint16_t count = 0;
    uint16_t *kinds = NULL;
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_EXTRASAMPLES, &count, &kinds);
    for (int i = 0; i < count; i++)
        if (kinds[i] == EXTRASAMPLE_ASSOCALPHA || kinds[i] == EXTRASAMPLE_UNASSALPHA) return i;
    // Like most programs, libtiff treats an unspecified fourth channel as alpha.
    return count > 0 && colors == 3 ? 0 : -1;
}

static int has_known_samples(const kf_tiff_samples *samples) {
    switch (samples->format) {
    case SAMPLEFORMAT_IEEEFP: return samples->bits == 32 || samples->bits == 64;
    case SAMPLEFORMAT_INT:
    case SAMPLEFORMAT_UINT: return samples->bits <= 16 || samples->bits == 32;
    default: return 0;
    }
}

// The number of samples of colour; 0 for colours that libtiff converts.
static int colors_of(TIFF *file, const kf_tiff_samples *samples) {
    uint16_t inks = INKSET_CMYK;
    switch (samples->photometric) {
    case PHOTOMETRIC_MINISWHITE:
    case PHOTOMETRIC_MINISBLACK: return 1;
    case PHOTOMETRIC_RGB: return 3;
    case PHOTOMETRIC_PALETTE:
        return samples->bits <= 16 && samples->format == SAMPLEFORMAT_UINT ? 1 : 0;
    case PHOTOMETRIC_SEPARATED:
        tiff.TIFFGetFieldDefaulted(file, TIFFTAG_INKSET, &inks);
        return inks == INKSET_CMYK ? 4 : 0;
    default: return 0;
    }
}

static int find_palette(kf_tiff_samples *samples) {
    uint16_t **palette = samples->palette;
    if (!tiff.TIFFGetField(samples->file, TIFFTAG_COLORMAP, &palette[0], &palette[1], &palette[2]))
        return 0;
    unsigned all = 0;
    for (int c = 0; c < 3; c++)
        for (size_t i = 0; i < (size_t)1 << samples->bits; i++) all |= palette[c][i];
    // Old programs stored values of 8 bits, and many shift these by 8 bits, so that white is 65,280.
    samples->palette_bytes = all <= 0xFF ? KF_BYTES_LOW : (all & 0xFF) == 0 ? KF_BYTES_HIGH : KF_BYTES_BOTH;
    return 1;
}

int kf_tiff_samples_describe(TIFF *file, kf_tiff_samples *samples) {
    uint16_t planes = PLANARCONFIG_CONTIG;
    *samples = (kf_tiff_samples){.file = file, .bits = 1, .count = 1, .format = SAMPLEFORMAT_UINT};
    tiff.TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &samples->width);
    tiff.TIFFGetField(file, TIFFTAG_IMAGELENGTH, &samples->height);
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &samples->bits);
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples->count);
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &samples->format);
    tiff.TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &planes);
    if (!tiff.TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &samples->photometric)) return 0;
    samples->is_planar = planes == PLANARCONFIG_SEPARATE && samples->count > 1;
    samples->colors = colors_of(file, samples);
    if (samples->colors == 0 || samples->count < samples->colors || samples->bits == 0
        || !has_known_samples(samples))
        return 0;
    if (samples->photometric == PHOTOMETRIC_PALETTE && !find_palette(samples)) return 0;
    int alpha = kf_tiff_alpha(file, samples->colors);
    samples->alpha = alpha < 0 || samples->colors + alpha >= samples->count ? -1 : samples->colors + alpha;
    samples->is_tiled = tiff.TIFFIsTiled(file);
    samples->part_width = samples->width;
    if (samples->is_tiled) {
        tiff.TIFFGetField(file, TIFFTAG_TILEWIDTH, &samples->part_width);
        tiff.TIFFGetField(file, TIFFTAG_TILELENGTH, &samples->part_height);
    } else {
        tiff.TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &samples->part_height);
        if (samples->part_height > samples->height) samples->part_height = samples->height;
    }
    return samples->part_width > 0 && samples->part_height > 0;
}

int kf_tiff_samples_are_deep(const kf_tiff_samples *samples) {
    return samples->bits > 8 && samples->photometric != PHOTOMETRIC_PALETTE;
}

// --- One sample ---

static uint32_t bits_at(const uint8_t *row, size_t index, int bits) {
    size_t place = index * (size_t)bits;
    uint32_t value = 0;
    for (int left = bits; left > 0;) {
        int offset = (int)(place % 8), taken = 8 - offset < left ? 8 - offset : left;
        uint32_t part = row[place / 8] >> (8 - offset - taken);
        value = value << taken | (part & ((1u << taken) - 1));
        place += (size_t)taken;
        left -= taken;
    }
    return value;
}

static uint16_t of_float(double value) {
    // Not a number is no light.
    if (!(value > 0)) return 0;
    return value >= 1 ? 0xFFFF : (uint16_t)(value * 65535 + 0.5);
}

// The value of a sample that is not scaled, for tables of colours.
static uint32_t raw(const kf_tiff_samples *samples, const uint8_t *row, size_t index) {
    if (samples->bits == 8) return row[index];
    if (samples->bits != 16) return bits_at(row, index, samples->bits);
    uint16_t value;
    memcpy(&value, row + index * 2, sizeof value);
    return value;
}

// A sample from 0 to 65,535.
static uint16_t scaled(const kf_tiff_samples *samples, const uint8_t *row, size_t index) {
    if (samples->format == SAMPLEFORMAT_IEEEFP) {
        float single;
        double value;
        if (samples->bits == 32) memcpy(&single, row + index * 4, sizeof single);
        else memcpy(&value, row + index * 8, sizeof value);
        return of_float(samples->bits == 32 ? (double)single : value);
    }
    uint32_t value, most = samples->bits < 16 ? (1u << samples->bits) - 1 : 0xFFFF;
    if (samples->bits == 32) {
        memcpy(&value, row + index * 4, sizeof value);
        value >>= 16;
    } else {
        value = raw(samples, row, index);
    }
    // The least number is black.
    if (samples->format == SAMPLEFORMAT_INT) value ^= (most >> 1) + 1;
    return (uint16_t)(most == 0xFFFF ? value : (value * 65535 + most / 2) / most);
}

static uint16_t palette_value(const kf_tiff_samples *samples, uint16_t value) {
    switch (samples->palette_bytes) {
    case KF_BYTES_LOW: return (uint16_t)(value * 257);
    case KF_BYTES_HIGH: return (uint16_t)((value >> 8) * 257);
    default: return value;
    }
}

// --- Rows ---

// The tiles beside each other, or a strip: for each all its planes, which is one with all samples unless they are planar.
typedef struct parts {
    uint8_t *bytes;
    size_t plane_bytes, row_bytes, planes, across;
} parts;

static void put_pixel(const kf_tiff_samples *samples, const parts *parts, uint32_t x, uint32_t y,
                      uint16_t *to) {
    size_t part = x / samples->part_width, column = x % samples->part_width;
    const uint8_t *row = parts->bytes + part * parts->planes * parts->plane_bytes + y * parts->row_bytes;
    size_t first = samples->is_planar ? column : column * samples->count;
#define PLANE(c) (row + (samples->is_planar ? (size_t)(c) * parts->plane_bytes : 0))
#define PLACE(c) (first + (samples->is_planar ? 0 : (size_t)(c)))
    uint16_t value[4];
    if (samples->photometric == PHOTOMETRIC_PALETTE) {
        uint32_t index = raw(samples, PLANE(0), PLACE(0));
        for (int c = 0; c < 3; c++) to[c] = palette_value(samples, samples->palette[c][index]);
    } else {
        for (int c = 0; c < samples->colors; c++) value[c] = scaled(samples, PLANE(c), PLACE(c));
        for (int c = 0; c < 3; c++) {
            switch (samples->photometric) {
            case PHOTOMETRIC_RGB: to[c] = value[c]; break;
            case PHOTOMETRIC_SEPARATED:
                to[c] = (uint16_t)((uint32_t)(65535 - value[c]) * (uint32_t)(65535 - value[3]) / 65535);
                break;
            case PHOTOMETRIC_MINISWHITE: to[c] = 65535 - value[0]; break;
            default: to[c] = value[0]; break;
            }
        }
    }
    to[3] = samples->alpha < 0 ? 65535 : scaled(samples, PLANE(samples->alpha), PLACE(samples->alpha));
#undef PLANE
#undef PLACE
}

// Reads the planes of the tile or strip with a pixel. Returns whether they could be read.
static int read_part(const kf_tiff_samples *samples, const parts *parts, uint32_t x, uint32_t y) {
    size_t part = x / samples->part_width;
    for (size_t plane = 0; plane < parts->planes; plane++) {
        // Other planes are not shown.
        if (samples->is_planar && (int)plane >= samples->colors && (int)plane != samples->alpha) continue;
        uint8_t *to = parts->bytes + (part * parts->planes + plane) * parts->plane_bytes;
        tmsize_t count = (tmsize_t)parts->plane_bytes;
        memset(to, 0, parts->plane_bytes);
        uint32_t index = samples->is_tiled
            ? tiff.TIFFComputeTile(samples->file, x, y, 0, (uint16_t)plane)
            : tiff.TIFFComputeStrip(samples->file, y, (uint16_t)plane);
        tmsize_t got = samples->is_tiled
            ? tiff.TIFFReadEncodedTile(samples->file, index, to, count)
            : tiff.TIFFReadEncodedStrip(samples->file, index, to, count);
        if (got < 0) return 0;
    }
    return 1;
}

static void shorten(uint16_t *row, uint32_t width) {
    uint8_t *to = (uint8_t *)row;
    for (size_t i = 0; i < (size_t)width * 4; i++) to[i] = (uint8_t)((row[i] * 255u + 32767) / 65535);
}

// Reads a row of tiles, or a strip, and delivers its rows.
static int read_band(const kf_tiff_samples *samples, const parts *parts, uint32_t y, int is_deep,
                     uint16_t *pixels, kf_picture_row row, void *context) {
    for (size_t part = 0; part < parts->across; part++)
        if (!read_part(samples, parts, (uint32_t)part * samples->part_width, y)) return 0;
    uint32_t left = samples->height - y;
    uint32_t rows = left < samples->part_height ? left : samples->part_height;
    for (uint32_t j = 0; j < rows; j++) {
        for (uint32_t x = 0; x < samples->width; x++)
            put_pixel(samples, parts, x, j, pixels + (size_t)x * 4);
        if (!is_deep) shorten(pixels, samples->width);
        row(context, pixels);
    }
    return 1;
}

int kf_tiff_samples_read(const kf_tiff_samples *samples, size_t max_memory, int is_deep,
                         kf_picture_row row, void *context) {
    parts parts = {.planes = samples->is_planar ? samples->count : 1};
    size_t in_plane = samples->is_planar ? 1 : samples->count;
    parts.across = (samples->width - 1) / samples->part_width + 1;
    // Widths have 31 bits, counts 16 and samples at most 64.
    if (samples->part_width > INT32_MAX) return -1;
    parts.row_bytes = ((size_t)samples->part_width * in_plane * samples->bits + 7) / 8;
    size_t rows = parts.planes * parts.across;
    if (parts.row_bytes > max_memory / rows / samples->part_height) return -1;
    parts.plane_bytes = parts.row_bytes * samples->part_height;
    parts.bytes = malloc(parts.plane_bytes * rows);
    uint16_t *pixels = malloc((size_t)samples->width * 8);
    int status = parts.bytes != NULL && pixels != NULL ? 1 : -1;
    for (uint32_t y = 0; status == 1 && y < samples->height; y += samples->part_height)
        status = read_band(samples, &parts, y, is_deep, pixels, row, context);
    free(parts.bytes);
    free(pixels);
    return status;
}

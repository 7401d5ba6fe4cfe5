// Makes JPEGs whose last scan is of each kind, from the pixels of a .rgba file, and their pixels.
//
// Usage: cc scans.c -ljpeg -o scans && ./scans progressive.jpg.rgba FOLDER
//
// Run by hand; the results are committed. Needs a libjpeg-turbo with arithmetic coding.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

// Components, their numbers, first and last coefficient, bits before and after.
#define ALL 3, {0, 1, 2}
static const jpeg_scan_info sequential[] = {
    {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
static const jpeg_scan_info spectral[] = {
    {ALL, 0, 0, 0, 0}, {1, {0}, 1, 63, 0, 0}, {1, {1}, 1, 63, 0, 0}, {1, {2}, 1, 63, 0, 0}};
static const jpeg_scan_info means_last[] = {{ALL, 0, 0, 0, 1},
                                            {1, {0}, 1, 63, 0, 1},
                                            {1, {1}, 1, 63, 0, 0},
                                            {1, {2}, 1, 63, 0, 0},
                                            {1, {0}, 1, 63, 1, 0},
                                            {ALL, 0, 0, 1, 0}};
static const jpeg_scan_info chroma_last[] = {{ALL, 0, 0, 0, 0},
                                             {1, {0}, 1, 63, 0, 0},
                                             {1, {1}, 1, 63, 0, 0},
                                             {1, {2}, 1, 63, 0, 1},
                                             {1, {2}, 1, 63, 1, 0}};

static void encode(const char *path, const uint8_t *rgba, const uint32_t *size,
                   const jpeg_scan_info *scans, int count, int arithmetic) {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    FILE *file = fopen(path, "wb");
    jpeg_stdio_dest(&info, file);
    info.image_width = size[0];
    info.image_height = size[1];
    info.input_components = 4;
    info.in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 85, TRUE);
    info.scan_info = scans;
    info.num_scans = count;
    info.arith_code = arithmetic;
    info.optimize_coding = !arithmetic;
    jpeg_start_compress(&info, TRUE);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = (JSAMPROW)rgba + info.next_scanline * size[0] * 4;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    fclose(file);
}

static void decode(const char *path) {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&info);
    FILE *file = fopen(path, "rb");
    jpeg_stdio_src(&info, file);
    jpeg_read_header(&info, TRUE);
    info.out_color_space = JCS_EXT_RGBA;
    jpeg_start_decompress(&info);
    char name[1024];
    snprintf(name, sizeof name, "%s.rgba", path);
    FILE *target = fopen(name, "wb");
    uint32_t size[] = {info.output_width, info.output_height};
    fwrite(size, sizeof size, 1, target);
    uint8_t *row = malloc(size[0] * 4);
    while (info.output_scanline < info.output_height) {
        jpeg_read_scanlines(&info, &row, 1);
        fwrite(row, 4, size[0], target);
    }
    free(row);
    jpeg_destroy_decompress(&info);
    fclose(file);
    fclose(target);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    FILE *file = fopen(argv[1], "rb");
    uint32_t size[2];
    if (file == NULL || fread(size, sizeof size, 1, file) != 1) return 1;
    uint8_t *rgba = malloc(size[0] * size[1] * 4);
    if (fread(rgba, 4, size[0] * size[1], file) != size[0] * size[1]) return 1;
    const struct {
        const char *name;
        const jpeg_scan_info *scans;
        int count, arithmetic;
    } kinds[] = {
        {"scans-sequential", sequential, 3, 0},
        {"scans-arithmetic", NULL, 0, 1},
        {"scans-arithmetic-sequential", sequential, 3, 1},
        {"scans-arithmetic-spectral", spectral, 4, 1},
        {"progressive-spectral", spectral, 4, 0},
        {"progressive-means-last", means_last, 6, 0},
        {"progressive-chroma-last", chroma_last, 5, 0},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.jpg", argv[2], kinds[i].name);
        encode(path, rgba, size, kinds[i].scans, kinds[i].count, kinds[i].arithmetic);
        decode(path);
    }
}

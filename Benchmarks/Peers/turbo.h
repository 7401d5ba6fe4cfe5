// libjpeg-turbo as a careful C program uses it, for the lower bounds in C.

#ifndef TURBO_H
#define TURBO_H

#include "peer.h"

#include <jpeglib.h>

enum { TARGET = 400, QUALITY = 80 };

typedef struct {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    // The size of the thumbnail, which fits TARGET × TARGET.
    int width, height;
} Decoder;

// Where the next result is written, if anywhere.
static const char *result_path;

// Starts decoding at `eighths` of the stored size. The decoder must not be moved.
static void start(Decoder *decoder, const Input *input, int eighths, J_COLOR_SPACE colours) {
    struct jpeg_decompress_struct *info = &decoder->info;
    // The default error handler ends the process, and thereby the benchmark.
    info->err = jpeg_std_error(&decoder->errors);
    jpeg_create_decompress(info);
    jpeg_mem_src(info, input->bytes, input->count);
    jpeg_read_header(info, TRUE);
    int width = info->image_width, height = info->image_height;
    double scale = (double)TARGET / (width > height ? width : height);
    decoder->width = width * scale + 0.5;
    decoder->height = height * scale + 0.5;
    info->scale_num = eighths;
    info->scale_denom = 8;
    info->out_color_space = colours;
    jpeg_start_decompress(info);
}

static void finish(Decoder *decoder) {
    jpeg_finish_decompress(&decoder->info);
    jpeg_destroy_decompress(&decoder->info);
}

// Makes a JPEG and returns its size.
static inline size_t encode(unsigned char *pixels, int width, int height, J_COLOR_SPACE colours,
                     int channels) {
    struct jpeg_compress_struct encoder;
    struct jpeg_error_mgr errors;
    unsigned char *file = NULL;
    unsigned long size = 0;
    encoder.err = jpeg_std_error(&errors);
    jpeg_create_compress(&encoder);
    jpeg_mem_dest(&encoder, &file, &size);
    encoder.image_width = width;
    encoder.image_height = height;
    encoder.input_components = channels;
    encoder.in_color_space = colours;
    jpeg_set_defaults(&encoder);
    jpeg_set_quality(&encoder, QUALITY, TRUE);
    jpeg_start_compress(&encoder, TRUE);
    while (encoder.next_scanline < encoder.image_height) {
        unsigned char *row = pixels + (size_t)channels * width * encoder.next_scanline;
        jpeg_write_scanlines(&encoder, &row, 1);
    }
    jpeg_finish_compress(&encoder);
    jpeg_destroy_compress(&encoder);
    FILE *result = result_path ? fopen(result_path, "wb") : NULL;
    if (result) {
        fwrite(file, 1, size, result);
        fclose(result);
    }
    free(file);
    return size;
}

// Serves orders, or does the work once: PROGRAM INPUT OUTPUT
static inline int run(int count, char **arguments, Work thumbnail) {
    if (count != 3) return serve("thumbnail-jpeg", thumbnail);
    Input input = {0};
    input.bytes = read_file(arguments[1], &input.count);
    result_path = arguments[2];
    return input.bytes && thumbnail(&input) > 0 ? 0 : 1;
}

#endif

// The lower bound for a thumbnail: libjpeg-turbo's 1/8 decode, a box filter, the encoder.
//
// Its images are softer than those of a Lanczos filter.

#include "peer.h"

#include <jpeglib.h>

enum { TARGET = 400, QUALITY = 80 };

// Averages source pixels by their covered area, for any ratio of the sizes.
static void box(const unsigned char *source, int sw, int sh, unsigned char *target, int tw, int th) {
    for (int y = 0; y < th; y++) {
        int top = y * sh, bottom = top + sh;
        for (int x = 0; x < tw; x++) {
            int left = x * sw, right = left + sw;
            unsigned sum[3] = {0, 0, 0}, total = 0;
            for (int row = top / th; row * th < bottom; row++) {
                int down = (row + 1) * th < bottom ? (row + 1) * th : bottom;
                int high = down - (row * th > top ? row * th : top);
                for (int column = left / tw; column * tw < right; column++) {
                    int end = (column + 1) * tw < right ? (column + 1) * tw : right;
                    int weight = (end - (column * tw > left ? column * tw : left)) * high;
                    const unsigned char *pixel = source + 3 * ((size_t)row * sw + column);
                    for (int c = 0; c < 3; c++) sum[c] += pixel[c] * weight;
                    total += weight;
                }
            }
            for (int c = 0; c < 3; c++) *target++ = (sum[c] + total / 2) / total;
        }
    }
}

static unsigned char *decode(const Input *input, int *width, int *height, double *scale) {
    struct jpeg_decompress_struct decoder;
    struct jpeg_error_mgr errors;
    // The default error handler ends the process, and thereby the benchmark.
    decoder.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&decoder);
    jpeg_mem_src(&decoder, input->bytes, input->count);
    jpeg_read_header(&decoder, TRUE);
    int longest = decoder.image_width > decoder.image_height ? decoder.image_width
                                                             : decoder.image_height;
    *scale = (double)TARGET / longest;
    decoder.scale_num = 1;
    decoder.scale_denom = 8;
    jpeg_start_decompress(&decoder);
    *width = decoder.output_width;
    *height = decoder.output_height;
    *scale *= (double)longest / (*width > *height ? *width : *height);
    size_t stride = (size_t)*width * 3;
    unsigned char *pixels = malloc(stride * *height);
    while (decoder.output_scanline < decoder.output_height) {
        unsigned char *row = pixels + stride * decoder.output_scanline;
        jpeg_read_scanlines(&decoder, &row, 1);
    }
    jpeg_finish_decompress(&decoder);
    jpeg_destroy_decompress(&decoder);
    return pixels;
}

static size_t encode(unsigned char *pixels, int width, int height) {
    struct jpeg_compress_struct encoder;
    struct jpeg_error_mgr errors;
    unsigned char *file = NULL;
    unsigned long size = 0;
    encoder.err = jpeg_std_error(&errors);
    jpeg_create_compress(&encoder);
    jpeg_mem_dest(&encoder, &file, &size);
    encoder.image_width = width;
    encoder.image_height = height;
    encoder.input_components = 3;
    encoder.in_color_space = JCS_RGB;
    jpeg_set_defaults(&encoder);
    jpeg_set_quality(&encoder, QUALITY, TRUE);
    jpeg_start_compress(&encoder, TRUE);
    while (encoder.next_scanline < encoder.image_height) {
        unsigned char *row = pixels + (size_t)3 * width * encoder.next_scanline;
        jpeg_write_scanlines(&encoder, &row, 1);
    }
    jpeg_finish_compress(&encoder);
    jpeg_destroy_compress(&encoder);
    free(file);
    return size;
}

static size_t thumbnail(const Input *input) {
    int width, height;
    double scale;
    unsigned char *pixels = decode(input, &width, &height, &scale);
    int tw = width * scale + 0.5, th = height * scale + 0.5;
    unsigned char *small = malloc((size_t)3 * tw * th);
    box(pixels, width, height, small, tw, th);
    size_t size = encode(small, tw, th);
    free(small);
    free(pixels);
    return size;
}

int main(void) { return serve("thumbnail-jpeg", thumbnail); }

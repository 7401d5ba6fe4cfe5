// The lower bound for a thumbnail: libjpeg-turbo's 1/8 decode, a box filter, the encoder.
//
// Its images are softer than those of a Lanczos filter.

#include "turbo.h"

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

static size_t thumbnail(const Input *input) {
    Decoder decoder;
    start(&decoder, input, 1, JCS_RGB);
    int width = decoder.info.output_width, height = decoder.info.output_height;
    size_t stride = (size_t)width * 3;
    unsigned char *pixels = malloc(stride * height);
    unsigned char *small = malloc((size_t)3 * decoder.width * decoder.height);
    while (decoder.info.output_scanline < decoder.info.output_height) {
        unsigned char *row = pixels + stride * decoder.info.output_scanline;
        jpeg_read_scanlines(&decoder.info, &row, 1);
    }
    finish(&decoder);
    box(pixels, width, height, small, decoder.width, decoder.height);
    size_t size = encode(small, decoder.width, decoder.height, JCS_RGB, 3);
    free(small);
    free(pixels);
    return size;
}

int main(int count, char **arguments) { return run(count, arguments, thumbnail); }

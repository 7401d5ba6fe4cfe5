// The lower bound for an image from disk: reads the file and decodes it to RGBA, with the colour
// conversion of libjpeg-turbo and nothing else.

#include "turbo.h"

static size_t load(const Input *order) {
    Input input = {0};
    unsigned char *bytes = read_file(order->path, &input.count);
    if (!bytes) return 0;
    input.bytes = bytes;
    Decoder decoder;
    start(&decoder, &input, 8, JCS_EXT_RGBA);
    size_t stride = (size_t)decoder.info.output_width * 4;
    size_t size = stride * decoder.info.output_height;
    unsigned char *pixels = malloc(size);
    while (decoder.info.output_scanline < decoder.info.output_height) {
        unsigned char *row = pixels + stride * decoder.info.output_scanline;
        jpeg_read_scanlines(&decoder.info, &row, 1);
    }
    finish(&decoder);
    free(pixels);
    free(bytes);
    return size;
}

int main(void) { return serve("disk-hit", load); }

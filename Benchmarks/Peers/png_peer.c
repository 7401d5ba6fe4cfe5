// libpng with its own choice of filters, at the level given on the command line.

#include "peer.h"

#include <png.h>

static int level;

static void count(png_structp png, png_bytep bytes, png_size_t size) {
    (void)bytes;
    *(size_t *)png_get_io_ptr(png) += size;
}

static void flush(png_structp png) { (void)png; }

static size_t encode(const Input *input) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    size_t size = 0;
    if (setjmp(png_jmpbuf(png))) return 0;
    png_set_write_fn(png, &size, count, flush);
    png_set_compression_level(png, level);
    png_set_IHDR(png, info, input->width, input->height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    // The images are opaque: like the library, it shall write three of the four channels.
    png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (int y = 0; y < input->height; y++)
        png_write_row(png, input->bytes + (size_t)4 * input->width * y);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return size;
}

int main(int count, char **arguments) {
    if (count != 2) return 1;
    level = atoi(arguments[1]);
    return serve("encode-png", encode);
}

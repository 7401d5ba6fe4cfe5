// The lower bound for an image from disk: reads the file and decodes it to RGBA, with the colour
// conversion of libjpeg-turbo and nothing else.
//
// With the argument `new`, each image gets new memory from the system, as in a program that keeps
// what it shows. Without it, an image takes the place of the one before.

#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/mman.h>

#include "turbo.h"

static bool takes_new_memory;

static unsigned char *take(size_t size) {
    if (!takes_new_memory) return malloc(size);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    void *pixels = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    return pixels == MAP_FAILED ? NULL : pixels;
}

static void give_back(unsigned char *pixels, size_t size) {
    if (takes_new_memory) {
        munmap(pixels, size);
    } else {
        free(pixels);
    }
}

static size_t load(const Input *order) {
    Input input = {0};
    unsigned char *bytes = read_file(order->path, &input.count);
    if (!bytes) return 0;
    input.bytes = bytes;
    Decoder decoder;
    start(&decoder, &input, 8, JCS_EXT_RGBA);
    size_t stride = (size_t)decoder.info.output_width * 4;
    size_t size = stride * decoder.info.output_height;
    unsigned char *pixels = take(size);
    if (!pixels) return 0;
    while (decoder.info.output_scanline < decoder.info.output_height) {
        unsigned char *row = pixels + stride * decoder.info.output_scanline;
        jpeg_read_scanlines(&decoder.info, &row, 1);
    }
    finish(&decoder);
    give_back(pixels, size);
    free(bytes);
    return size;
}

int main(int count, char **arguments) {
    takes_new_memory = count > 1 && strcmp(arguments[1], "new") == 0;
    return serve("disk-hit", load);
}

// libvips from C, so that its memory does not include an interpreter's.
//
// The functions are declared here because the library's headers require 85 MB of packages. They are
// part of its stable interface.

#include "peer.h"

typedef struct Image Image;
int vips_init(const char *program);
void vips_cache_set_max(int count);
void vips_concurrency_set(int threads);
int vips_thumbnail_buffer(void *bytes, size_t size, Image **out, int width, ...);
int vips_jpegsave_buffer(Image *in, void **bytes, size_t *size, ...);
void g_object_unref(void *object);
void g_free(void *memory);

static size_t thumbnail(const Input *input) {
    Image *image;
    void *file;
    size_t size;
    if (vips_thumbnail_buffer((void *)input->bytes, input->count, &image, 400, "height", 400,
                              (char *)NULL))
        return 0;
    int failed = vips_jpegsave_buffer(image, &file, &size, "Q", 80, (char *)NULL);
    g_object_unref(image);
    if (failed) return 0;
    g_free(file);
    return size;
}

int main(int count, char **arguments) {
    (void)count;
    if (vips_init(arguments[0])) return 1;
    vips_cache_set_max(0);
    vips_concurrency_set(1);
    return serve("thumbnail", thumbnail);
}

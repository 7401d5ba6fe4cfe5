#include "kf_picture_internal.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Larger profiles are ignored; ColorProfile has the same limit.
static const size_t max_profile = 8 << 20;

// The formats whose library was loaded.
static atomic_int loaded[KF_PICTURE_SVG + 1];

static const kf_picture_functions *functions(kf_picture_kind kind) {
    switch (kind) {
    case KF_PICTURE_JXL: return &kf_jxl_functions;
    case KF_PICTURE_HEIF: return &kf_heif_functions;
    case KF_PICTURE_TIFF: return &kf_tiff_functions;
    case KF_PICTURE_SVG: return &kf_svg_functions;
    }
    return NULL;
}

int kf_library_load(const char *const *files, int (*fill)(void *library)) {
    for (; *files != NULL; files++) {
        void *library = dlopen(*files, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return fill(library);
    }
    return 0;
}

int kf_picture_load(kf_picture_kind kind) {
    const kf_picture_functions *known = functions(kind);
    if (known == NULL || !known->load()) return 0;
    atomic_store(&loaded[kind], 1);
    return 1;
}

kf_picture *kf_picture_create(kf_picture_kind kind, const uint8_t *bytes, size_t count,
                              size_t max_memory, int max_side) {
    kf_picture *picture = calloc(1, sizeof *picture);
    if (picture == NULL) return NULL;
    picture->kind = kind;
    picture->bytes = bytes;
    picture->count = count;
    picture->max_memory = max_memory;
    picture->max_side = max_side;
    return picture;
}

void kf_picture_destroy(kf_picture *picture) {
    const kf_picture_functions *known = functions(picture->kind);
    if (known != NULL && picture->state != NULL) known->destroy(picture);
    free(picture->profile);
    free(picture);
}

kf_picture_status kf_picture_read_header(kf_picture *picture, kf_picture_info *info) {
    const kf_picture_functions *known = functions(picture->kind);
    if (known == NULL || !atomic_load(&loaded[picture->kind]))
        return kf_picture_fail(picture, KF_PICTURE_UNSUPPORTED, "its library is not loaded");
    picture->info = (kf_picture_info){
        .orientation = 1, .bits_per_channel = 8, .primaries = 2, .transfer = 2};
    kf_picture_status status = known->read_header(picture);
    *info = picture->info;
    return status;
}

kf_picture_status kf_picture_read_rows(kf_picture *picture, int width, int height,
                                       kf_picture_row row, void *context) {
    const kf_picture_functions *known = functions(picture->kind);
    if (known == NULL || picture->state == NULL)
        return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "no header");
    return known->read_rows(picture, width, height, row, context);
}

const char *kf_picture_message(const kf_picture *picture) { return picture->message; }

size_t kf_picture_raster_bytes(const kf_picture *picture, int width, int height) {
    if (width <= 0 || height <= 0) return 0;
    size_t pixels = (size_t)width * (size_t)height;
    return pixels <= picture->max_memory / 4 ? pixels * 4 : 0;
}

kf_picture_status kf_picture_fail(kf_picture *picture, kf_picture_status status,
                                  const char *message) {
    snprintf(picture->message, sizeof picture->message, "%s", message);
    return status;
}

void kf_picture_keep_profile(kf_picture *picture, const void *profile, size_t count) {
    if (profile == NULL || count == 0 || count > max_profile) return;
    uint8_t *copy = malloc(count);
    if (copy == NULL) return;
    memcpy(copy, profile, count);
    free(picture->profile);
    picture->profile = copy;
    picture->info.profile = copy;
    picture->info.profile_count = count;
}

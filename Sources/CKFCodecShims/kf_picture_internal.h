#pragma once
#include <dlfcn.h>

#include "kf_picture.h"

// For the tables of functions, which have their names in the library.
#define KF_FIELD(name) __typeof__(name) *name;
// For functions that take the library and return whether it has all of them.
#define KF_FIND(table, name) \
    if ((table.name = (__typeof__(name) *)dlsym(library, #name)) == NULL) return 0;

struct kf_picture {
    kf_picture_kind kind;
    const uint8_t *bytes;
    size_t count;
    size_t max_memory;
    int max_side;
    kf_picture_info info;
    char message[200];
    // State of the format's functions and the profile they found; both from malloc.
    void *state;
    uint8_t *profile;
};

typedef struct kf_picture_functions {
    int (*load)(void);
    kf_picture_status (*read_header)(kf_picture *picture);
    kf_picture_status (*read_rows)(kf_picture *picture, int width, int height, kf_picture_row row,
                                   void *context);
    void (*destroy)(kf_picture *picture);
} kf_picture_functions;

extern const kf_picture_functions kf_jxl_functions;
extern const kf_picture_functions kf_heif_functions;
extern const kf_picture_functions kf_tiff_functions;
extern const kf_picture_functions kf_svg_functions;

// The bytes of width × height × 4, or 0 if they exceed `max_memory`.
size_t kf_picture_raster_bytes(const kf_picture *picture, int width, int height);

kf_picture_status kf_picture_fail(kf_picture *picture, kf_picture_status status,
                                  const char *message);

// Copies a profile. If memory cannot be allocated, the profile is ignored.
void kf_picture_keep_profile(kf_picture *picture, const void *profile, size_t count);

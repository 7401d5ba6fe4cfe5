#include "kf_avif.h"
#include "kf_avif_layout.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

// The numbers of interfaces to look for: 15 is that of libavif 0.11, 16 of every 1.x so far. A higher
// number means an incompatible change.
static const int interfaces[] = {16, 15};

static kf_avif functions;
// Whether the structures are those of 1.x, and not those of 0.11.
static int is_new;
static int has_encoder;

// Whether the layout of a library is known. Before 1.0 it changed with each minor number.
static int is_known(const char *version, int interface) {
    int major, minor;
    if (version == NULL || sscanf(version, "%d.%d", &major, &minor) != 2) return 0;
    is_new = major == 1 && interface == 16;
    return is_new || (major == 0 && minor == 11);
}

static int fill(void *library, int interface) {
    const char *(*version)(void) = (const char *(*)(void))dlsym(library, "avifVersion");
    if (version == NULL || !is_known(version(), interface)) return 0;
#define KF_AVIF_FILL(name) \
    __typeof__(name) *name##_found = (__typeof__(name) *)dlsym(library, #name); \
    if (name##_found == NULL) return 0; \
    functions.name = name##_found;
    KF_AVIF_FUNCTIONS(KF_AVIF_FILL)
    const char *(*codec)(int choice, uint32_t flags) =
        (const char *(*)(int, uint32_t))dlsym(library, "avifCodecName");
    // AVIF_CODEC_CHOICE_AUTO, AVIF_CODEC_FLAG_CAN_ENCODE.
    has_encoder = codec != NULL && codec(0, 2) != NULL;
    return 1;
}

const kf_avif *kf_avif_load(const char *name) {
    for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; i++) {
        char file[64];
        if (snprintf(file, sizeof file, "%s.%d", name, interfaces[i]) >= (int)sizeof file)
            return NULL;
        void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) continue;
        if (fill(library, interfaces[i])) return &functions;
        dlclose(library);
    }
    return NULL;
}

int kf_avif_has_encoder(void) { return has_encoder; }

void kf_avif_set_loop_count(avifEncoder *encoder, int count) {
    // -1 is for without end.
    if (is_new) ((struct kf_avif_encoder_1 *)encoder)->repetitions = count > 0 ? count - 1 : -1;
}

int kf_avif_loop_count(const avifDecoder *decoder) {
    int repetitions = is_new ? ((const struct kf_avif_decoder_1 *)decoder)->repetitions : -1;
    return repetitions >= 0 && repetitions < INT32_MAX ? repetitions + 1 : 0;
}

int kf_avif_has_alpha(const avifDecoder *decoder) {
    return is_new ? ((const struct kf_avif_decoder_1 *)decoder)->has_alpha
                  : ((const struct kf_avif_decoder_0 *)decoder)->has_alpha;
}

void kf_avif_set_quantizers(avifEncoder *encoder, int least, int most, int least_alpha,
                            int most_alpha) {
    int values[] = {least, most, least_alpha, most_alpha};
    memcpy(is_new ? ((struct kf_avif_encoder_1 *)encoder)->quantizers
                  : ((struct kf_avif_encoder_0 *)encoder)->quantizers,
           values, sizeof values);
}

void kf_avif_set_pixels(avifRGBImage *rgb, uint8_t *pixels, uint32_t row_bytes) {
    if (is_new) {
        struct kf_avif_pixels_1 *rest = (struct kf_avif_pixels_1 *)rgb->rest;
        rest->pixels = pixels;
        rest->row_bytes = row_bytes;
    } else {
        struct kf_avif_pixels_0 *rest = (struct kf_avif_pixels_0 *)rgb->rest;
        rest->pixels = pixels;
        rest->row_bytes = row_bytes;
    }
}

#define KF_AVIF_OF(image, field) \
    (is_new ? ((const struct kf_avif_image_1 *)(image))->field \
            : ((const struct kf_avif_image_0 *)(image))->field)

kf_avif_transform kf_avif_transform_of(const avifImage *image) {
    kf_avif_transform transform;
    transform.flags = KF_AVIF_OF(image, flags);
    transform.turns = KF_AVIF_OF(image, turns);
    transform.axis = KF_AVIF_OF(image, axis);
    memcpy(&transform.aperture, KF_AVIF_OF(image, aperture), sizeof transform.aperture);
    return transform;
}

void kf_avif_metadata(const avifImage *image, avifRWData *exif, avifRWData *xmp) {
    *exif = KF_AVIF_OF(image, exif);
    *xmp = KF_AVIF_OF(image, xmp);
}

#pragma once
#include "abi_avif.h"

// libavif brings two dozen libraries, of which a program that shows no AVIF needs none: they take
// 2 ms to 6 ms of its start and 2 MB of its memory. So it is not linked but loaded with the first
// AVIF file. A program starts without it, and works with the libavif of each release of Debian.

#define KF_AVIF_FUNCTIONS(DO) \
    DO(avifAlloc) \
    DO(avifDecoderCreate) \
    DO(avifDecoderDestroy) \
    DO(avifDecoderNthImage) \
    DO(avifDecoderNthImageTiming) \
    DO(avifDecoderParse) \
    DO(avifDecoderReset) \
    DO(avifDecoderSetIOMemory) \
    DO(avifEncoderAddImage) \
    DO(avifEncoderCreate) \
    DO(avifEncoderDestroy) \
    DO(avifEncoderFinish) \
    DO(avifEncoderWrite) \
    DO(avifImageCreate) \
    DO(avifImageCreateEmpty) \
    DO(avifImageDestroy) \
    DO(avifImageRGBToYUV) \
    DO(avifImageSetViewRect) \
    DO(avifImageYUVToRGB) \
    DO(avifRGBImageSetDefaults) \
    DO(avifRWDataFree) \
    DO(avifResultToString)

#define KF_AVIF_FIELD(name) __typeof__(name) *_Nonnull name;

// libavif's functions, under their names.
typedef struct kf_avif {
    KF_AVIF_FUNCTIONS(KF_AVIF_FIELD)
} kf_avif;

// The functions; NULL without a library of a known layout. `name` is followed by a number, as in
// libavif.so.16. Loading opens files. Call it from one thread at a time, before those below.
const kf_avif *_Nullable kf_avif_load(const char *_Nonnull name);

// Whether the loaded library was built with an encoder of AV1.
int kf_avif_has_encoder(void);

// How often an animation is played, 0 for without end. libavif has stored it since 1.0; files of
// earlier versions are played without end.
void kf_avif_set_loop_count(avifEncoder *_Nonnull encoder, int count);
int kf_avif_loop_count(const avifDecoder *_Nonnull decoder);

int kf_avif_has_alpha(const avifDecoder *_Nonnull decoder);

// The range of quantizers for colours and for alpha, 0 to 63.
void kf_avif_set_quantizers(avifEncoder *_Nonnull encoder, int least, int most, int least_alpha,
                            int most_alpha);

void kf_avif_set_pixels(avifRGBImage *_Nonnull rgb, uint8_t *_Nullable pixels, uint32_t row_bytes);

// The flags of the transformations, the quarter turns anticlockwise, and the axis of the mirror: 0
// exchanges top and bottom, 1 left and right. The clean aperture in fractions: width, height, and the
// distance of its middle from the image's.
typedef struct kf_avif_transform {
    uint32_t flags;
    uint8_t turns, axis;
    struct {
        uint32_t width[2], height[2], x[2], y[2];
    } aperture;
} kf_avif_transform;
kf_avif_transform kf_avif_transform_of(const avifImage *_Nonnull image);

void kf_avif_metadata(const avifImage *_Nonnull image, avifRWData *_Nonnull exif,
                      avifRWData *_Nonnull xmp);

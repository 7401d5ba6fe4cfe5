#pragma once
#include "kf_avif.h"

// The fields of libavif's structures that differ between 0.11 and 1.x; they follow the common ones.

struct kf_avif_image_0 {
    avifImage start;
    uint32_t flags, aspect[2], aperture[8];
    uint8_t turns, axis;
    avifRWData exif, xmp;
};
struct kf_avif_image_1 {
    avifImage start;
    // The second of two numbers; the first is in the padding of the start.
    uint16_t light;
    uint32_t flags, aspect[2], aperture[8];
    uint8_t turns, axis;
    avifRWData exif, xmp;
};

struct kf_avif_decoder_0 {
    avifDecoder start;
    avifBool has_alpha;
};
struct kf_avif_decoder_1 {
    avifDecoder start;
    int repetitions;
    avifBool has_alpha;
};

struct kf_avif_encoder_0 {
    avifEncoder start;
    int quantizers[4];
};
struct kf_avif_encoder_1 {
    avifEncoder start;
    int repetitions;
    uint32_t layers;
    int qualities[2];
    int quantizers[4];
};

// At `rest` of avifRGBImage.
struct kf_avif_pixels_0 {
    uint8_t *pixels;
    uint32_t row_bytes;
};
struct kf_avif_pixels_1 {
    int threads;
    uint8_t *pixels;
    uint32_t row_bytes;
};

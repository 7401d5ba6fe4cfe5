// Compares our declarations of libavif's interface with its headers; only compiled, by Scripts/walls.sh.

// The system's structures get other names.
#define avifCropRect system_avifCropRect
#define avifDecoder system_avifDecoder
#define avifEncoder system_avifEncoder
#define avifImage system_avifImage
#define avifImageTiming system_avifImageTiming
#define avifRGBImage system_avifRGBImage
#define avifRWData system_avifRWData
#include <avif/avif.h>
#undef avifCropRect
#undef avifDecoder
#undef avifEncoder
#undef avifImage
#undef avifImageTiming
#undef avifRGBImage
#undef avifRWData

#define KF_SYSTEM_HEADERS 1
#include "kf_avif_layout.h"

#if AVIF_VERSION_MAJOR >= 1
#define LAYOUT(name) struct kf_avif_##name##_1
#else
#define LAYOUT(name) struct kf_avif_##name##_0
#endif

#define AGREE(type, field) \
    _Static_assert(offsetof(type, field) == offsetof(system_##type, field), #field)
#define AT(type, field, name, ours) \
    _Static_assert(offsetof(system_##type, field) == offsetof(LAYOUT(name), ours), #field)
#define IS(constant, value) _Static_assert(constant == value, #constant)

AGREE(avifRWData, size);
AGREE(avifCropRect, height);
AGREE(avifImageTiming, durationInTimescales);
_Static_assert(sizeof(avifImageTiming) == sizeof(system_avifImageTiming), "timing");
AGREE(avifImage, depth);
AGREE(avifImage, yuvRange);
AGREE(avifImage, alphaPlane);
AGREE(avifImage, alphaPremultiplied);
AGREE(avifImage, icc);
AGREE(avifImage, colorPrimaries);
AGREE(avifImage, matrixCoefficients);
AT(avifImage, transformFlags, image, flags);
AT(avifImage, clap, image, aperture);
_Static_assert(sizeof(avifCleanApertureBox) == 8 * sizeof(uint32_t), "aperture");
AT(avifImage, irot, image, turns);
AT(avifImage, imir, image, axis);
AT(avifImage, exif, image, exif);
AT(avifImage, xmp, image, xmp);
AGREE(avifDecoder, maxThreads);
AGREE(avifDecoder, ignoreXMP);
AGREE(avifDecoder, strictFlags);
AGREE(avifDecoder, image);
AGREE(avifDecoder, imageCount);
AGREE(avifDecoder, durationInTimescales);
AT(avifDecoder, alphaPresent, decoder, has_alpha);
AGREE(avifEncoder, speed);
AGREE(avifEncoder, timescale);
AT(avifEncoder, minQuantizer, encoder, quantizers);
AT(avifEncoder, maxQuantizerAlpha, encoder, quantizers[3]);
#if AVIF_VERSION_MAJOR >= 1
AT(avifDecoder, repetitionCount, decoder, repetitions);
AT(avifEncoder, repetitionCount, encoder, repetitions);
IS(AVIF_REPETITION_COUNT_INFINITE, -1);
#endif
AGREE(avifRGBImage, format);
AGREE(avifRGBImage, ignoreAlpha);
AGREE(avifRGBImage, alphaPremultiplied);
_Static_assert(offsetof(system_avifRGBImage, pixels)
                   == offsetof(avifRGBImage, rest) + offsetof(LAYOUT(pixels), pixels),
               "pixels");
_Static_assert(offsetof(system_avifRGBImage, rowBytes)
                   == offsetof(avifRGBImage, rest) + offsetof(LAYOUT(pixels), row_bytes),
               "rows");
_Static_assert(sizeof(system_avifRGBImage) <= sizeof(avifRGBImage), "room");
IS(AVIF_RESULT_OK, 0);
IS(AVIF_RESULT_UNSUPPORTED_DEPTH, 6);
IS(AVIF_RESULT_NO_CODEC_AVAILABLE, 15);
IS(AVIF_RESULT_TRUNCATED_DATA, 20);
IS(AVIF_RESULT_WAITING_ON_IO, 23);
IS(AVIF_RESULT_NOT_IMPLEMENTED, 25);
IS(AVIF_PIXEL_FORMAT_YUV444, 1);
IS(AVIF_PIXEL_FORMAT_YUV422, 2);
IS(AVIF_PIXEL_FORMAT_YUV420, 3);
IS(AVIF_PIXEL_FORMAT_YUV400, 4);
IS(AVIF_RANGE_FULL, 1);
IS(AVIF_RGB_FORMAT_RGBA, 1);
IS(AVIF_TRANSFORM_CLAP, 1 << 1);
IS(AVIF_TRANSFORM_IROT, 1 << 2);
IS(AVIF_TRANSFORM_IMIR, 1 << 3);
IS(AVIF_STRICT_DISABLED, 0);
IS(AVIF_ADD_IMAGE_FLAG_SINGLE, 1 << 1);

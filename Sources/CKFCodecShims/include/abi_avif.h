#pragma once
#include <stddef.h>
#include <stdint.h>

// The part of libavif's interface that is used, so that building needs none of its headers. The
// structures are the beginnings that 0.11 and 1.x have in common; kf_avif.h has functions for the rest.
// Scripts/walls.sh compares all of it with the headers of libavif.

#ifndef KF_SYSTEM_HEADERS
#define AVIF_TRUE 1
#define AVIF_FALSE 0
#define AVIF_DEFAULT_IMAGE_SIZE_LIMIT (16384 * 16384)
typedef int avifBool;
typedef uint16_t avifColorPrimaries;
typedef uint16_t avifTransferCharacteristics;
typedef uint16_t avifMatrixCoefficients;

typedef enum avifResult {
    AVIF_RESULT_OK = 0,
    AVIF_RESULT_UNSUPPORTED_DEPTH = 6,
    AVIF_RESULT_NO_CODEC_AVAILABLE = 15,
    AVIF_RESULT_TRUNCATED_DATA = 20,
    AVIF_RESULT_WAITING_ON_IO = 23,
    AVIF_RESULT_NOT_IMPLEMENTED = 25
} avifResult;
typedef enum avifPixelFormat {
    AVIF_PIXEL_FORMAT_YUV444 = 1,
    AVIF_PIXEL_FORMAT_YUV422 = 2,
    AVIF_PIXEL_FORMAT_YUV420 = 3,
    AVIF_PIXEL_FORMAT_YUV400 = 4
} avifPixelFormat;
typedef enum avifRange { AVIF_RANGE_FULL = 1 } avifRange;
typedef enum avifRGBFormat { AVIF_RGB_FORMAT_RGBA = 1 } avifRGBFormat;
typedef enum avifTransformFlag {
    AVIF_TRANSFORM_CLAP = 1 << 1,
    AVIF_TRANSFORM_IROT = 1 << 2,
    AVIF_TRANSFORM_IMIR = 1 << 3
} avifTransformFlag;
typedef enum avifStrictFlag { AVIF_STRICT_DISABLED = 0 } avifStrictFlag;
typedef enum avifAddImageFlag { AVIF_ADD_IMAGE_FLAG_SINGLE = 1 << 1 } avifAddImageFlag;
#endif

typedef struct avifRWData {
    uint8_t *data;
    size_t size;
} avifRWData;

typedef struct avifCropRect {
    uint32_t x, y, width, height;
} avifCropRect;

typedef struct avifImageTiming {
    uint64_t timescale;
    double pts;
    uint64_t ptsInTimescales;
    double duration;
    uint64_t durationInTimescales;
} avifImageTiming;

typedef struct avifImage {
    uint32_t width, height, depth;
    avifPixelFormat yuvFormat;
    avifRange yuvRange;
    int yuvChromaSamplePosition;
    uint8_t *yuvPlanes[3];
    uint32_t yuvRowBytes[3];
    avifBool imageOwnsYUVPlanes;
    uint8_t *alphaPlane;
    uint32_t alphaRowBytes;
    avifBool imageOwnsAlphaPlane;
    avifBool alphaPremultiplied;
    avifRWData icc;
    avifColorPrimaries colorPrimaries;
    avifTransferCharacteristics transferCharacteristics;
    avifMatrixCoefficients matrixCoefficients;
} avifImage;

typedef struct avifDecoder {
    int codecChoice, maxThreads, requestedSource;
    avifBool allowProgressive, allowIncremental, ignoreExif, ignoreXMP;
    uint32_t imageSizeLimit, imageDimensionLimit, imageCountLimit, strictFlags;
    avifImage *image;
    int imageIndex, imageCount, progressiveState;
    avifImageTiming imageTiming;
    uint64_t timescale;
    double duration;
    uint64_t durationInTimescales;
} avifDecoder;

typedef struct avifEncoder {
    int codecChoice, maxThreads, speed, keyframeInterval;
    uint64_t timescale;
} avifEncoder;

// Callers allocate it, so it has room for the rest: kf_avif_set_pixels writes there.
typedef struct avifRGBImage {
    uint32_t width, height, depth;
    avifRGBFormat format;
    int chromaUpsampling, chromaDownsampling;
    avifBool avoidLibYUV, ignoreAlpha, alphaPremultiplied, isFloat;
    void *rest[16];
} avifRGBImage;

#ifndef KF_SYSTEM_HEADERS
void *avifAlloc(size_t size);
avifDecoder *avifDecoderCreate(void);
void avifDecoderDestroy(avifDecoder *decoder);
avifResult avifDecoderNthImage(avifDecoder *decoder, uint32_t index);
avifResult avifDecoderNthImageTiming(const avifDecoder *decoder, uint32_t index,
                                     avifImageTiming *timing);
avifResult avifDecoderParse(avifDecoder *decoder);
avifResult avifDecoderReset(avifDecoder *decoder);
avifResult avifDecoderSetIOMemory(avifDecoder *decoder, const uint8_t *bytes, size_t count);
avifResult avifEncoderAddImage(avifEncoder *encoder, const avifImage *image, uint64_t duration,
                               uint32_t flags);
avifEncoder *avifEncoderCreate(void);
void avifEncoderDestroy(avifEncoder *encoder);
avifResult avifEncoderFinish(avifEncoder *encoder, avifRWData *output);
avifResult avifEncoderWrite(avifEncoder *encoder, const avifImage *image, avifRWData *output);
avifImage *avifImageCreate(uint32_t width, uint32_t height, uint32_t depth, avifPixelFormat format);
avifImage *avifImageCreateEmpty(void);
void avifImageDestroy(avifImage *image);
avifResult avifImageRGBToYUV(avifImage *image, const avifRGBImage *rgb);
avifResult avifImageSetViewRect(avifImage *view, const avifImage *image, const avifCropRect *rect);
avifResult avifImageYUVToRGB(const avifImage *image, avifRGBImage *rgb);
void avifRGBImageSetDefaults(avifRGBImage *rgb, const avifImage *image);
void avifRWDataFree(avifRWData *data);
const char *avifResultToString(avifResult result);
const char *avifVersion(void);
#endif

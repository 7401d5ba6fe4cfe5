#pragma once
#include <avif/avif.h>

// libavif brings two dozen libraries, of which a program that shows no AVIF needs none: they take
// 2 ms to 6 ms of its start and 2 MB of its memory. So it is not linked but loaded with the first
// AVIF file. A program starts without it.

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

// The functions; NULL without a library that agrees with the headers of the build. `name` is
// followed by a number, as in libavif.so.16. Loading opens files. Call it from one thread at a time.
const kf_avif *_Nullable kf_avif_load(const char *_Nonnull name);

// The version of the headers, such as 1.0.
static inline const char *_Nonnull kf_avif_version(void) {
#define KF_AVIF_TEXT_OF(value) #value
#define KF_AVIF_TEXT(value) KF_AVIF_TEXT_OF(value)
    return KF_AVIF_TEXT(AVIF_VERSION_MAJOR) "." KF_AVIF_TEXT(AVIF_VERSION_MINOR);
}

// How often an animation is played, 0 for without end. libavif has stored it since 1.0; files of
// earlier versions are played without end.
static inline void kf_avif_set_loop_count(avifEncoder *_Nonnull encoder, int count) {
#if AVIF_VERSION_MAJOR >= 1
    encoder->repetitionCount = count > 0 ? count - 1 : AVIF_REPETITION_COUNT_INFINITE;
#else
    (void)encoder, (void)count;
#endif
}

static inline int kf_avif_loop_count(const avifDecoder *_Nonnull decoder) {
#if AVIF_VERSION_MAJOR >= 1
    return decoder->repetitionCount >= 0 && decoder->repetitionCount < INT32_MAX
        ? decoder->repetitionCount + 1 : 0;
#else
    (void)decoder;
    return 0;
#endif
}

// The axis of a mirrored image: libavif 0.11 calls the field `mode`, 1.0 and later `axis`. The
// values mean the same: 0 exchanges top and bottom, 1 left and right.
static inline int kf_avif_mirror_axis(avifImageMirror mirror) {
#if AVIF_VERSION_MAJOR >= 1
    return mirror.axis;
#else
    return mirror.mode;
#endif
}

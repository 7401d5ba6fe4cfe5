#pragma once
// The part of libjxl's interface that the shim uses, from 0.7 to 0.11, so that building needs none
// of its headers. Scripts/walls.sh also compiles the shim with those.
#ifdef KF_SYSTEM_HEADERS
#include <jxl/decode.h>
#include <jxl/encode.h>
#else
#include <stddef.h>
#include <stdint.h>

typedef struct JxlDecoderStruct JxlDecoder;
typedef struct JxlEncoderStruct JxlEncoder;
typedef struct JxlEncoderFrameSettingsStruct JxlEncoderFrameSettings;
typedef struct JxlMemoryManagerStruct JxlMemoryManager;

enum { JXL_FALSE = 0, JXL_TRUE = 1 };
typedef enum { JXL_TYPE_UINT8 = 2, JXL_TYPE_UINT16 = 3 } JxlDataType;
typedef enum { JXL_NATIVE_ENDIAN = 0 } JxlEndianness;
typedef enum { JXL_COLOR_SPACE_RGB = 0, JXL_COLOR_SPACE_GRAY = 1 } JxlColorSpace;
typedef enum { JXL_WHITE_POINT_D65 = 1 } JxlWhitePoint;
typedef enum {
    JXL_PRIMARIES_SRGB = 1,
    JXL_PRIMARIES_2100 = 9,
    JXL_PRIMARIES_P3 = 11
} JxlPrimaries;
typedef enum {
    JXL_TRANSFER_FUNCTION_SRGB = 13,
    JXL_TRANSFER_FUNCTION_PQ = 16,
    JXL_TRANSFER_FUNCTION_HLG = 18
} JxlTransferFunction;
typedef enum {
    JXL_COLOR_PROFILE_TARGET_ORIGINAL = 0,
    JXL_COLOR_PROFILE_TARGET_DATA = 1
} JxlColorProfileTarget;
typedef enum { JXL_ENC_SUCCESS = 0, JXL_ENC_NEED_MORE_OUTPUT = 2 } JxlEncoderStatus;
typedef enum { JXL_ENC_FRAME_SETTING_EFFORT = 0 } JxlEncoderFrameSettingId;
typedef enum {
    JXL_DEC_SUCCESS = 0,
    JXL_DEC_ERROR = 1,
    JXL_DEC_NEED_MORE_INPUT = 2,
    JXL_DEC_NEED_IMAGE_OUT_BUFFER = 5,
    JXL_DEC_BASIC_INFO = 0x40,
    JXL_DEC_COLOR_ENCODING = 0x100,
    JXL_DEC_FRAME = 0x400,
    JXL_DEC_FULL_IMAGE = 0x1000
} JxlDecoderStatus;

typedef struct {
    uint32_t num_channels;
    JxlDataType data_type;
    JxlEndianness endianness;
    size_t align;
} JxlPixelFormat;

typedef struct {
    int have_container;
    uint32_t xsize, ysize, bits_per_sample, exponent_bits_per_sample;
    float intensity_target, min_nits;
    int relative_to_max_display;
    float linear_below;
    int uses_original_profile, have_preview, have_animation;
    int orientation;
    uint32_t num_color_channels, num_extra_channels, alpha_bits, alpha_exponent_bits;
    int alpha_premultiplied;
    struct {
        uint32_t xsize, ysize;
    } preview;
    struct {
        uint32_t tps_numerator, tps_denominator, num_loops;
        int have_timecodes;
    } animation;
    uint32_t intrinsic_xsize, intrinsic_ysize;
    uint8_t padding[100];
} JxlBasicInfo;

typedef struct {
    uint32_t duration, timecode, name_length;
    int is_last;
    // Cropping and blending, of which nothing is used.
    uint32_t layer_info[10];
} JxlFrameHeader;

typedef struct {
    JxlColorSpace color_space;
    JxlWhitePoint white_point;
    double white_point_xy[2];
    JxlPrimaries primaries;
    double primaries_red_xy[2], primaries_green_xy[2], primaries_blue_xy[2];
    JxlTransferFunction transfer_function;
    double gamma;
    int rendering_intent;
} JxlColorEncoding;

uint32_t JxlDecoderVersion(void);
JxlDecoder *JxlDecoderCreate(const JxlMemoryManager *manager);
void JxlDecoderDestroy(JxlDecoder *decoder);
void JxlDecoderReset(JxlDecoder *decoder);
void JxlDecoderRewind(JxlDecoder *decoder);
void JxlDecoderSkipFrames(JxlDecoder *decoder, size_t amount);
JxlDecoderStatus JxlDecoderSubscribeEvents(JxlDecoder *decoder, int events);
JxlDecoderStatus JxlDecoderSetKeepOrientation(JxlDecoder *decoder, int keeps);
JxlDecoderStatus JxlDecoderSetInput(JxlDecoder *decoder, const uint8_t *bytes, size_t count);
JxlDecoderStatus JxlDecoderProcessInput(JxlDecoder *decoder);
JxlDecoderStatus JxlDecoderGetBasicInfo(const JxlDecoder *decoder, JxlBasicInfo *info);
JxlDecoderStatus JxlDecoderGetFrameHeader(const JxlDecoder *decoder, JxlFrameHeader *header);
JxlDecoderStatus JxlDecoderSetPreferredColorProfile(JxlDecoder *decoder,
                                                    const JxlColorEncoding *encoding);
JxlDecoderStatus JxlDecoderSetImageOutBuffer(JxlDecoder *decoder, const JxlPixelFormat *format,
                                             void *buffer, size_t count);
JxlDecoderStatus JxlDecoderFlushImage(JxlDecoder *decoder);
void JxlColorEncodingSetToSRGB(JxlColorEncoding *encoding, int is_grey);

JxlEncoder *JxlEncoderCreate(const JxlMemoryManager *manager);
void JxlEncoderDestroy(JxlEncoder *encoder);
void JxlEncoderInitBasicInfo(JxlBasicInfo *info);
JxlEncoderStatus JxlEncoderSetBasicInfo(JxlEncoder *encoder, const JxlBasicInfo *info);
JxlEncoderStatus JxlEncoderSetColorEncoding(JxlEncoder *encoder, const JxlColorEncoding *encoding);
JxlEncoderFrameSettings *JxlEncoderFrameSettingsCreate(JxlEncoder *encoder,
                                                       const JxlEncoderFrameSettings *source);
JxlEncoderStatus JxlEncoderFrameSettingsSetOption(JxlEncoderFrameSettings *settings,
                                                  JxlEncoderFrameSettingId option, int64_t value);
JxlEncoderStatus JxlEncoderSetFrameLossless(JxlEncoderFrameSettings *settings, int is_lossless);
JxlEncoderStatus JxlEncoderSetFrameDistance(JxlEncoderFrameSettings *settings, float distance);
JxlEncoderStatus JxlEncoderAddImageFrame(const JxlEncoderFrameSettings *settings,
                                         const JxlPixelFormat *format, const void *buffer,
                                         size_t count);
void JxlEncoderCloseInput(JxlEncoder *encoder);
JxlEncoderStatus JxlEncoderProcessOutput(JxlEncoder *encoder, uint8_t **next, size_t *room);
#endif

#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(JxlPixelFormat) == 24 && offsetof(JxlPixelFormat, align) == 16, "");
_Static_assert(sizeof(JxlBasicInfo) == 204 && offsetof(JxlBasicInfo, orientation) == 48
                   && offsetof(JxlBasicInfo, alpha_bits) == 60
                   && offsetof(JxlBasicInfo, alpha_premultiplied) == 68
                   && offsetof(JxlBasicInfo, animation) == 80
                   && offsetof(JxlBasicInfo, padding) == 104,
               "");
_Static_assert(sizeof(JxlFrameHeader) == 56 && offsetof(JxlFrameHeader, is_last) == 12, "");
_Static_assert(sizeof(JxlColorEncoding) == 104 && offsetof(JxlColorEncoding, primaries) == 24
                   && offsetof(JxlColorEncoding, transfer_function) == 80
                   && offsetof(JxlColorEncoding, rendering_intent) == 96,
               "");
#endif
_Static_assert(JXL_TYPE_UINT8 == 2 && JXL_TYPE_UINT16 == 3 && JXL_NATIVE_ENDIAN == 0
                   && JXL_COLOR_SPACE_RGB == 0 && JXL_COLOR_SPACE_GRAY == 1 && JXL_WHITE_POINT_D65 == 1
                   && JXL_PRIMARIES_SRGB == 1 && JXL_PRIMARIES_2100 == 9 && JXL_PRIMARIES_P3 == 11
                   && JXL_TRANSFER_FUNCTION_SRGB == 13 && JXL_TRANSFER_FUNCTION_PQ == 16
                   && JXL_TRANSFER_FUNCTION_HLG == 18
                   && JXL_COLOR_PROFILE_TARGET_DATA == 1 && JXL_ENC_NEED_MORE_OUTPUT == 2
                   && JXL_ENC_FRAME_SETTING_EFFORT == 0 && JXL_DEC_NEED_MORE_INPUT == 2
                   && JXL_DEC_NEED_IMAGE_OUT_BUFFER == 5 && JXL_DEC_BASIC_INFO == 0x40
                   && JXL_DEC_COLOR_ENCODING == 0x100 && JXL_DEC_FRAME == 0x400
                   && JXL_DEC_FULL_IMAGE == 0x1000,
               "");

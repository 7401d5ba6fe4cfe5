#include "abi_jxl.h"
#include "kf_picture_internal.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(DO) \
    DO(JxlColorEncodingSetToSRGB) \
    DO(JxlDecoderCreate) \
    DO(JxlDecoderDestroy) \
    DO(JxlDecoderFlushImage) \
    DO(JxlDecoderGetBasicInfo) \
    DO(JxlDecoderGetFrameHeader) \
    DO(JxlDecoderProcessInput) \
    DO(JxlDecoderReset) \
    DO(JxlDecoderRewind) \
    DO(JxlDecoderSetImageOutBuffer) \
    DO(JxlDecoderSetInput) \
    DO(JxlDecoderSetKeepOrientation) \
    DO(JxlDecoderSetPreferredColorProfile) \
    DO(JxlDecoderSkipFrames) \
    DO(JxlDecoderSubscribeEvents) \
    DO(JxlDecoderVersion) \
    DO(JxlEncoderAddImageFrame) \
    DO(JxlEncoderCloseInput) \
    DO(JxlEncoderCreate) \
    DO(JxlEncoderDestroy) \
    DO(JxlEncoderFrameSettingsCreate) \
    DO(JxlEncoderFrameSettingsSetOption) \
    DO(JxlEncoderInitBasicInfo) \
    DO(JxlEncoderProcessOutput) \
    DO(JxlEncoderSetBasicInfo) \
    DO(JxlEncoderSetColorEncoding) \
    DO(JxlEncoderSetFrameDistance) \
    DO(JxlEncoderSetFrameLossless)

static struct {
    FUNCTIONS(KF_FIELD)
} jxl;

// libjxl 0.9 removed a parameter of these functions.
static void *encoded_profile, *profile_size, *icc_profile;
static int has_unused_format;

#define FILL(name) KF_FIND(jxl, name)

static int find_functions(void *library) {
    FUNCTIONS(FILL)
    encoded_profile = dlsym(library, "JxlDecoderGetColorAsEncodedProfile");
    profile_size = dlsym(library, "JxlDecoderGetICCProfileSize");
    icc_profile = dlsym(library, "JxlDecoderGetColorAsICCProfile");
    has_unused_format = jxl.JxlDecoderVersion() < 9000;
    return encoded_profile != NULL && profile_size != NULL && icc_profile != NULL;
}

static int load(void) {
    // Every 0.x may change the interface; these are known.
    static const char *const files[] = {"libjxl.so.0.11", "libjxl.so.0.10", "libjxl.so.0.9",
                                        "libjxl.so.0.8",  "libjxl.so.0.7",  NULL};
    return kf_library_load(files, find_functions);
}

typedef struct jxl_state {
    JxlDecoder *decoder;
    // The colours in which the pixels are wanted.
    JxlColorEncoding wanted;
    // The index of the decoder's next frame; -1 after a failure, when the decoder must be reset.
    int next_frame;
} jxl_state;

static JxlDecoder *decoder_of(const kf_picture *picture) {
    return ((const jxl_state *)picture->state)->decoder;
}

static kf_picture_status failure(kf_picture *picture, JxlDecoderStatus status) {
    if (status == JXL_DEC_NEED_MORE_INPUT)
        return kf_picture_fail(picture, KF_PICTURE_TRUNCATED, "the data ends early");
    return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "the codestream is invalid");
}

static JxlDecoderStatus get_encoding(const JxlDecoder *decoder, JxlColorProfileTarget target,
                                     JxlColorEncoding *encoding) {
    if (has_unused_format)
        return ((JxlDecoderStatus(*)(const JxlDecoder *, const JxlPixelFormat *,
                                     JxlColorProfileTarget, JxlColorEncoding *))encoded_profile)(
            decoder, NULL, target, encoding);
    return ((JxlDecoderStatus(*)(const JxlDecoder *, JxlColorProfileTarget,
                                 JxlColorEncoding *))encoded_profile)(decoder, target, encoding);
}

static JxlDecoderStatus get_profile_size(const JxlDecoder *decoder, size_t *count) {
    JxlColorProfileTarget target = JXL_COLOR_PROFILE_TARGET_DATA;
    if (has_unused_format)
        return ((JxlDecoderStatus(*)(const JxlDecoder *, const JxlPixelFormat *,
                                     JxlColorProfileTarget, size_t *))profile_size)(
            decoder, NULL, target, count);
    return ((JxlDecoderStatus(*)(const JxlDecoder *, JxlColorProfileTarget,
                                 size_t *))profile_size)(decoder, target, count);
}

static JxlDecoderStatus get_profile(const JxlDecoder *decoder, uint8_t *bytes, size_t count) {
    JxlColorProfileTarget target = JXL_COLOR_PROFILE_TARGET_DATA;
    if (has_unused_format)
        return ((JxlDecoderStatus(*)(const JxlDecoder *, const JxlPixelFormat *,
                                     JxlColorProfileTarget, uint8_t *, size_t))icc_profile)(
            decoder, NULL, target, bytes, count);
    return ((JxlDecoderStatus(*)(const JxlDecoder *, JxlColorProfileTarget, uint8_t *,
                                 size_t))icc_profile)(decoder, target, bytes, count);
}

// libjxl can convert images that use its own colour encoding; others keep their profile.
static void prefer_colors(const kf_picture *picture) {
    const jxl_state *state = picture->state;
    (void)jxl.JxlDecoderSetPreferredColorProfile(state->decoder, &state->wanted);
}

static void keep_profile(kf_picture *picture) {
    JxlDecoder *decoder = decoder_of(picture);
    size_t count = 0;
    if (get_profile_size(decoder, &count) != JXL_DEC_SUCCESS || count == 0 || count > (8 << 20))
        return;
    uint8_t *profile = malloc(count);
    if (profile != NULL && get_profile(decoder, profile, count) == JXL_DEC_SUCCESS)
        kf_picture_keep_profile(picture, profile, count);
    free(profile);
}

static int is_high_range(const JxlColorEncoding *encoding) {
    return encoding->color_space == JXL_COLOR_SPACE_RGB
        && encoding->white_point == JXL_WHITE_POINT_D65
        && (encoding->transfer_function == JXL_TRANSFER_FUNCTION_PQ
            || encoding->transfer_function == JXL_TRANSFER_FUNCTION_HLG)
        && (encoding->primaries == JXL_PRIMARIES_SRGB || encoding->primaries == JXL_PRIMARIES_2100
            || encoding->primaries == JXL_PRIMARIES_P3);
}

static int is_srgb(const JxlColorEncoding *encoding) {
    return encoding->white_point == JXL_WHITE_POINT_D65
        && encoding->transfer_function == JXL_TRANSFER_FUNCTION_SRGB
        && (encoding->color_space == JXL_COLOR_SPACE_GRAY
            || encoding->primaries == JXL_PRIMARIES_SRGB);
}

static void read_colors(kf_picture *picture) {
    jxl_state *state = picture->state;
    JxlColorEncoding encoding;
    jxl.JxlColorEncodingSetToSRGB(&state->wanted, 0);
    picture->info.has_profile = get_encoding(state->decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL,
                                             &encoding) != JXL_DEC_SUCCESS;
    if (!picture->info.has_profile && is_high_range(&encoding)) {
        // Converted by the caller, who maps its tones; the values are those of ITU-T H.273.
        state->wanted = encoding;
        picture->info.primaries = (int)encoding.primaries;
        picture->info.transfer = (int)encoding.transfer_function;
        prefer_colors(picture);
        return;
    }
    prefer_colors(picture);
    if (get_encoding(state->decoder, JXL_COLOR_PROFILE_TARGET_DATA, &encoding) != JXL_DEC_SUCCESS
        || !is_srgb(&encoding))
        keep_profile(picture);
}

static void begin(const kf_picture *picture, JxlDecoder *decoder, int events) {
    jxl.JxlDecoderSubscribeEvents(decoder, events);
    jxl.JxlDecoderSetKeepOrientation(decoder, JXL_TRUE);
    jxl.JxlDecoderSetInput(decoder, picture->bytes, picture->count);
}

static kf_picture_status read_header(kf_picture *picture) {
    jxl_state *state = picture->state = calloc(1, sizeof *state);
    if (state == NULL) return KF_PICTURE_TOO_MUCH_MEMORY;
    // No memory manager: libjxl uses it only for small objects, not for pixels.
    JxlDecoder *decoder = state->decoder = jxl.JxlDecoderCreate(NULL);
    if (decoder == NULL) return KF_PICTURE_TOO_MUCH_MEMORY;
    begin(picture, decoder, JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE);
    JxlDecoderStatus status = jxl.JxlDecoderProcessInput(decoder);
    if (status != JXL_DEC_BASIC_INFO) return failure(picture, status);
    JxlBasicInfo basic;
    if (jxl.JxlDecoderGetBasicInfo(decoder, &basic) != JXL_DEC_SUCCESS)
        return failure(picture, JXL_DEC_ERROR);
    if (basic.xsize > INT32_MAX || basic.ysize > INT32_MAX)
        return failure(picture, JXL_DEC_ERROR);
    picture->info.width = (int)basic.xsize;
    picture->info.height = (int)basic.ysize;
    picture->info.orientation = (int)basic.orientation;
    picture->info.bits_per_channel = (int)basic.bits_per_sample;
    picture->info.has_alpha = basic.alpha_bits != 0;
    picture->info.is_premultiplied = basic.alpha_premultiplied != 0;
    picture->info.is_animated = basic.have_animation != 0;
    // The frames of animations are composited with 8 bits.
    picture->info.is_deep = basic.bits_per_sample > 8 && !basic.have_animation;
    picture->info.loop_count = basic.have_animation ? basic.animation.num_loops : 1;
    // Four channels as floating-point numbers, and the rows that are delivered.
    picture->info.working_bytes_per_pixel = picture->info.is_deep ? 24 : 20;
    status = jxl.JxlDecoderProcessInput(decoder);
    if (status != JXL_DEC_COLOR_ENCODING) return failure(picture, status);
    read_colors(picture);
    return KF_PICTURE_OK;
}

// Decodes the next frame into `pixels`. On KF_PICTURE_TRUNCATED, `*has_pixels` is set if they hold
// a coarse version.
static kf_picture_status fill(kf_picture *picture, uint8_t *pixels, size_t count,
                              int *has_pixels) {
    JxlDecoder *decoder = decoder_of(picture);
    JxlPixelFormat format = {
        .num_channels = 4,
        .data_type = picture->info.is_deep ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
        .endianness = JXL_NATIVE_ENDIAN};
    for (;;) {
        JxlDecoderStatus status = jxl.JxlDecoderProcessInput(decoder);
        switch (status) {
        case JXL_DEC_COLOR_ENCODING:
            prefer_colors(picture);
            break;
        case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
            if (jxl.JxlDecoderSetImageOutBuffer(decoder, &format, pixels, count) != JXL_DEC_SUCCESS)
                return failure(picture, JXL_DEC_ERROR);
            break;
        case JXL_DEC_FULL_IMAGE:
            *has_pixels = 1;
            return KF_PICTURE_OK;
        case JXL_DEC_NEED_MORE_INPUT:
            *has_pixels = jxl.JxlDecoderFlushImage(decoder) == JXL_DEC_SUCCESS;
            return failure(picture, status);
        default:
            return failure(picture, JXL_DEC_ERROR);
        }
    }
}

static kf_picture_status read_rows(kf_picture *picture, int width, int height, kf_picture_row row,
                                   void *context) {
    (void)width;
    (void)height;
    size_t channel = picture->info.is_deep ? 2 : 1;
    size_t count =
        kf_picture_raster_bytes(picture, picture->info.width, picture->info.height) * channel;
    // Zeroed: if the file ends early, some pixels are not written.
    uint8_t *pixels = count ? calloc(1, count) : NULL;
    if (pixels == NULL) return kf_picture_fail(picture, KF_PICTURE_TOO_MUCH_MEMORY, "no memory");
    int has_pixels = 0;
    // For an animation this is the first frame.
    kf_picture_status status = fill(picture, pixels, count, &has_pixels);
    size_t row_bytes = (size_t)picture->info.width * 4 * channel;
    for (int y = 0; has_pixels && y < picture->info.height; y++)
        row(context, pixels + row_bytes * (size_t)y);
    free(pixels);
    return status;
}

static void destroy(kf_picture *picture) {
    jxl_state *state = picture->state;
    if (state->decoder != NULL) jxl.JxlDecoderDestroy(state->decoder);
    free(state);
}

const kf_picture_functions kf_jxl_functions = {load, read_header, read_rows, destroy};

// --- Animations ---

kf_picture_status kf_jxl_read_delays(kf_picture *picture, kf_jxl_delay take, void *context) {
    JxlDecoder *decoder = jxl.JxlDecoderCreate(NULL);
    if (decoder == NULL) return KF_PICTURE_TOO_MUCH_MEMORY;
    // Without pixel events, so that pixels are skipped.
    begin(picture, decoder, JXL_DEC_BASIC_INFO | JXL_DEC_FRAME);
    JxlBasicInfo basic = {0};
    JxlFrameHeader frame;
    kf_picture_status result = KF_PICTURE_OK;
    for (int goes_on = 1; goes_on;) {
        JxlDecoderStatus status = jxl.JxlDecoderProcessInput(decoder);
        switch (status) {
        case JXL_DEC_BASIC_INFO:
            goes_on = jxl.JxlDecoderGetBasicInfo(decoder, &basic) == JXL_DEC_SUCCESS;
            break;
        case JXL_DEC_FRAME:
            goes_on = jxl.JxlDecoderGetFrameHeader(decoder, &frame) == JXL_DEC_SUCCESS;
            double rate = (double)basic.animation.tps_numerator;
            double ticks = (double)frame.duration * (double)basic.animation.tps_denominator;
            if (goes_on) goes_on = take(context, rate > 0 ? ticks / rate : 0);
            break;
        case JXL_DEC_SUCCESS:
            goes_on = 0;
            break;
        default:
            result = failure(picture, status);
            goes_on = 0;
        }
    }
    jxl.JxlDecoderDestroy(decoder);
    return result;
}

// Makes `index` the next frame.
static void seek(kf_picture *picture, int index) {
    jxl_state *state = picture->state;
    if (state->next_frame < 0) {
        jxl.JxlDecoderReset(state->decoder);
        state->next_frame = 0;
        begin(picture, state->decoder, JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE);
    } else if (state->next_frame > index) {
        // Keeps the known positions of frames.
        jxl.JxlDecoderRewind(state->decoder);
        state->next_frame = 0;
        begin(picture, state->decoder, JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE);
    }
    if (index > state->next_frame)
        jxl.JxlDecoderSkipFrames(state->decoder, (size_t)(index - state->next_frame));
    state->next_frame = index;
}

kf_picture_status kf_jxl_read_frame(kf_picture *picture, int index, uint8_t *pixels,
                                    size_t count) {
    jxl_state *state = picture->state;
    if (state == NULL || state->decoder == NULL)
        return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "no header");
    seek(picture, index);
    int has_pixels = 0;
    kf_picture_status status = fill(picture, pixels, count, &has_pixels);
    state->next_frame = status == KF_PICTURE_OK ? index + 1 : -1;
    return status;
}

// --- Encoding ---

static int describe(JxlEncoder *encoder, const kf_jxl_encoding *encoding) {
    JxlBasicInfo basic;
    jxl.JxlEncoderInitBasicInfo(&basic);
    basic.xsize = (uint32_t)encoding->width;
    basic.ysize = (uint32_t)encoding->height;
    basic.bits_per_sample = 8;
    basic.num_color_channels = 3;
    basic.alpha_bits = encoding->has_alpha ? 8 : 0;
    basic.num_extra_channels = encoding->has_alpha ? 1 : 0;
    basic.uses_original_profile = encoding->is_lossless;
    JxlColorEncoding colors;
    jxl.JxlColorEncodingSetToSRGB(&colors, JXL_FALSE);
    return jxl.JxlEncoderSetBasicInfo(encoder, &basic) == JXL_ENC_SUCCESS
        && jxl.JxlEncoderSetColorEncoding(encoder, &colors) == JXL_ENC_SUCCESS;
}

static int add_frame(JxlEncoder *encoder, const kf_jxl_encoding *encoding,
                     const uint8_t *pixels) {
    JxlEncoderFrameSettings *settings = jxl.JxlEncoderFrameSettingsCreate(encoder, NULL);
    if (settings == NULL) return 0;
    // 5: half the time of the default (7), for files that are a few per cent larger.
    jxl.JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 5);
    if (encoding->is_lossless) {
        jxl.JxlEncoderSetFrameLossless(settings, JXL_TRUE);
    } else {
        jxl.JxlEncoderSetFrameDistance(settings, encoding->distance);
    }
    uint32_t channels = encoding->has_alpha ? 4 : 3;
    JxlPixelFormat format = {
        .num_channels = channels, .data_type = JXL_TYPE_UINT8, .endianness = JXL_NATIVE_ENDIAN};
    size_t count = (size_t)encoding->width * (size_t)encoding->height * channels;
    if (jxl.JxlEncoderAddImageFrame(settings, &format, pixels, count) != JXL_ENC_SUCCESS) return 0;
    jxl.JxlEncoderCloseInput(encoder);
    return 1;
}

static int write_file(JxlEncoder *encoder, uint8_t **bytes, size_t *count) {
    size_t capacity = 64 << 10;
    size_t used = 0;
    uint8_t *file = malloc(capacity);
    while (file != NULL) {
        uint8_t *next = file + used;
        size_t room = capacity - used;
        JxlEncoderStatus status = jxl.JxlEncoderProcessOutput(encoder, &next, &room);
        used = (size_t)(next - file);
        if (status == JXL_ENC_SUCCESS) {
            *bytes = file;
            *count = used;
            return 1;
        }
        if (status != JXL_ENC_NEED_MORE_OUTPUT) break;
        capacity *= 2;
        uint8_t *larger = realloc(file, capacity);
        if (larger == NULL) break;
        file = larger;
    }
    free(file);
    return 0;
}

kf_picture_status kf_jxl_encode(kf_jxl_encoding encoding, const uint8_t *pixels, uint8_t **bytes,
                                size_t *count) {
    JxlEncoder *encoder = jxl.JxlEncoderCreate(NULL);
    if (encoder == NULL) return KF_PICTURE_TOO_MUCH_MEMORY;
    int is_written = describe(encoder, &encoding) && add_frame(encoder, &encoding, pixels)
        && write_file(encoder, bytes, count);
    jxl.JxlEncoderDestroy(encoder);
    return is_written ? KF_PICTURE_OK : KF_PICTURE_CORRUPT;
}

#define _GNU_SOURCE
#include "kf_video_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kf_ff kf_ff;

// What avcodec_open2 may open; the decoders below, which find_stream_info chooses itself.
static const char allowed_decoders[] = "h264,hevc,vp8,vp9,libdav1d,libaom-av1,mpeg4,mjpeg,png";

enum { BUFFER = 32 << 10 };

// --- The libraries --------------------------------------------------------------------------

#define FILL(name) KF_FIND(kf_ff, name)

static int fill_format(void *library) {
    KF_FORMAT_FUNCTIONS(FILL)
    return 1;
}

static int fill_codec(void *library) {
    KF_CODEC_FUNCTIONS(FILL)
    return 1;
}

static int fill_util(void *library) {
    KF_UTIL_FUNCTIONS(FILL)
    return 1;
}

static int fill_scale(void *library) {
    KF_SCALE_FUNCTIONS(FILL)
    return 1;
}

static int load_one(const char *name, int version, int (*fill)(void *library)) {
    char file[32];
    snprintf(file, sizeof file, "lib%s.so.%d", name, version);
    const char *const files[] = {file, NULL};
    return kf_library_load(files, fill);
}

// The versions that FFmpeg releases together: those of one release never mix.
static int load_release(int format, int util, int scale) {
    return load_one("avformat", format, fill_format) && load_one("avcodec", format, fill_codec)
        && load_one("avutil", util, fill_util) && load_one("swscale", scale, fill_scale)
        && kf_ff.avformat_version() >> 16 == (unsigned)format
        && kf_ff.avcodec_version() >> 16 == (unsigned)format
        && kf_ff.avutil_version() >> 16 == (unsigned)util
        && kf_ff.swscale_version() >> 16 == (unsigned)scale;
}

#define PLACE_59(name, type, member, v59, v60, v61) kf_ff.at.name = v59;
#define PLACE_60(name, type, member, v59, v60, v61) kf_ff.at.name = v60;
#define PLACE_61(name, type, member, v59, v60, v61) kf_ff.at.name = v61;

static int load(void) {
    if (load_release(61, 59, 8)) {
        KF_FF_FIELDS(PLACE_61)
    } else if (load_release(60, 58, 7)) {
        KF_FF_FIELDS(PLACE_60)
    } else if (load_release(59, 57, 6)) {
        KF_FF_FIELDS(PLACE_59)
    } else {
        return 0;
    }
    kf_ff.version = (int)(kf_ff.avformat_version() >> 16);
    kf_ff.av_log_set_level(AV_LOG_QUIET);
    return 1;
}

int kf_video_load(void) {
    // A worker has one thread.
    static int is_loaded, is_installed;
    if (!is_loaded) is_installed = load();
    is_loaded = 1;
    return is_installed;
}

// --- Opening --------------------------------------------------------------------------------

static kf_video_status open_container(kf_video *video, const char *container) {
    const AVInputFormat *input = kf_ff.av_find_input_format(container);
    if (input == NULL) return KF_VIDEO_UNKNOWN;
    uint8_t *buffer = kf_ff.av_malloc(BUFFER);
    if (buffer == NULL) return KF_VIDEO_NO_MEMORY;
    video->io = kf_ff.avio_alloc_context(buffer, BUFFER, 0, video, kf_video_read_bytes, NULL,
                                          kf_video_seek_bytes);
    if (video->io == NULL) {
        kf_ff.av_free(buffer);
        return KF_VIDEO_NO_MEMORY;
    }
    video->format = kf_ff.avformat_alloc_context();
    if (video->format == NULL) return KF_VIDEO_NO_MEMORY;
    FF(AVIOContext *, video->format, format_io) = video->io;
    AVDictionary *options = NULL;
    kf_ff.av_dict_set(&options, "codec_whitelist", allowed_decoders, 0);
    // No protocol has this name, so that a container that refers to other files opens none.
    kf_ff.av_dict_set(&options, "protocol_whitelist", "none", 0);
    kf_ff.av_dict_set(&options, "max_streams", "64", 0);
    // Frees and clears the context if it fails.
    int result = kf_ff.avformat_open_input(&video->format, "", input, &options);
    kf_ff.av_dict_free(&options);
    if (result < 0) return result == AVERROR(ENOMEM) ? KF_VIDEO_NO_MEMORY : KF_VIDEO_UNKNOWN;
    return KF_VIDEO_OK;
}

const char *const *kf_video_decoders(enum AVCodecID codec) {
    // The name of a codec, and those of its decoders.
    static const char *const list[][4] = {
        {"h264", "h264"}, {"hevc", "hevc"},   {"vp8", "vp8"},
        {"vp9", "vp9"},   {"mpeg4", "mpeg4"}, {"av1", "libdav1d", "libaom-av1"},
        {"png", "png"},   {"mjpeg", "mjpeg"},
    };
    const char *name = kf_ff.avcodec_get_name(codec);
    for (size_t index = 0; index < sizeof list / sizeof *list; index++)
        if (strcmp(list[index][0], name) == 0) return &list[index][1];
    return NULL;
}

static void choose_streams(kf_video *video) {
    video->film = video->cover = -1;
    unsigned count = FF(unsigned, video->format, format_stream_count);
    for (unsigned index = 0; index < count; index++) {
        AVStream *stream = kf_video_stream(video, (int)index);
        AVCodecParameters *coded = FF(AVCodecParameters *, stream, stream_coded);
        // Sound and subtitles are neither read nor probed.
        FF(int, stream, stream_discard) = AVDISCARD_ALL;
        if (FF(int, coded, coded_type) != AVMEDIA_TYPE_VIDEO) continue;
        enum AVCodecID codec = FF(enum AVCodecID, coded, coded_codec);
        if (kf_video_decoders(codec) == NULL) continue;
        if (FF(int, stream, stream_disposition) & AV_DISPOSITION_ATTACHED_PIC) {
            void *picture = &FF(char, stream, stream_picture);
            if (video->cover < 0 && FF(int, picture, packet_size) > 0) video->cover = (int)index;
        } else if (video->film < 0) {
            video->film = (int)index;
            FF(int, stream, stream_discard) = 0;
        }
    }
}

kf_video_status kf_video_open(kf_video_source source, const char *container, kf_video **made,
                              int64_t *missing) {
    *made = NULL;
    *missing = -1;
    if (!kf_video_load()) return KF_VIDEO_NO_LIBRARY;
    kf_video *video = calloc(1, sizeof *video);
    if (video == NULL) return KF_VIDEO_NO_MEMORY;
    int has_ranges = kf_video_copy_ranges(&source);
    video->source = source;
    video->missing = -1;
    video->window = source.bytes;
    video->window_length = source.bytes != NULL ? source.size : 0;
    video->is_stream = strcmp(container, "mpegts") == 0;
    video->decoded = -1;
    video->packet = kf_ff.av_packet_alloc();
    video->key = kf_ff.av_packet_alloc();
    video->frame = kf_ff.av_frame_alloc();
    video->next = kf_ff.av_frame_alloc();
    int has_all = has_ranges && video->packet != NULL && video->key != NULL && video->frame != NULL
        && video->next != NULL;
    kf_video_status status = has_all ? open_container(video, container) : KF_VIDEO_NO_MEMORY;
    if (status == KF_VIDEO_OK) {
        choose_streams(video);
        // After an error, the streams found so far are used.
        kf_ff.avformat_find_stream_info(video->format, NULL);
        // Some containers find their streams only by reading.
        choose_streams(video);
        if (video->film < 0 && video->cover < 0) status = KF_VIDEO_NO_PICTURES;
    }
    if (video->missing >= 0) {
        *missing = video->missing;
        status = KF_VIDEO_MISSING;
    }
    if (status != KF_VIDEO_OK) {
        kf_video_close(video);
        return status;
    }
    *made = video;
    return KF_VIDEO_OK;
}

void kf_video_close(kf_video *video) {
    kf_ff.avcodec_free_context(&video->decoder);
    kf_ff.av_packet_free(&video->packet);
    kf_ff.av_packet_free(&video->key);
    kf_ff.av_frame_free(&video->frame);
    kf_ff.av_frame_free(&video->next);
    if (video->format != NULL) kf_ff.avformat_close_input(&video->format);
    if (video->io != NULL) {
        // The buffer may have been replaced.
        kf_ff.av_free(FF(void *, video->io, io_buffer));
        kf_ff.avio_context_free(&video->io);
    }
    kf_video_end_reading(video);
    free(video);
}

int64_t kf_video_missing(const kf_video *video) { return video->missing; }

int kf_video_seek_count(const kf_video *video) { return video->seek_count; }

// --- Properties -----------------------------------------------------------------------------

static const int32_t *matrix_of_stream(const AVStream *stream) {
    const char *owner =
        (const char *)stream + (kf_ff.version == 59 ? KF_FF_SIDE_59 : KF_FF_SIDE_60);
    if (kf_ff.version == 61) owner = FF(const char *, stream, stream_coded) + KF_FF_SIDE_61;
    const struct kf_ff_side *side = *(const struct kf_ff_side *const *)owner;
    int count = *(const int *)(owner + 8);
    for (int index = 0; index < count; index++)
        if (side[index].type == AV_PKT_DATA_DISPLAYMATRIX && side[index].size >= 9 * sizeof(int32_t))
            return (const int32_t *)side[index].data;
    return NULL;
}

static const int32_t *matrix_of_frame(const AVFrame *frame) {
    AVFrameSideData *side = kf_ff.av_frame_get_side_data(frame, AV_FRAME_DATA_DISPLAYMATRIX);
    if (side == NULL || FF(size_t, side, side_size) < 9 * sizeof(int32_t)) return NULL;
    return FF(const int32_t *, side, side_data);
}

// The orientation of Exif for a matrix that turns by quarters or mirrors.
static int orientation_of(const int32_t *matrix) {
    if (matrix == NULL) return 1;
    // x' = a × x + c × y, y' = b × x + d × y
    int64_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
    if (llabs(a) > llabs(b)) return a > 0 ? (d >= 0 ? 1 : 4) : (d >= 0 ? 2 : 3);
    if (b == 0) return 1;
    return b > 0 ? (c >= 0 ? 5 : 6) : (c >= 0 ? 8 : 7);
}

static double value(AVRational ratio) {
    return ratio.num > 0 && ratio.den > 0 ? (double)ratio.num / ratio.den : 0;
}

static double ratio_of(const AVStream *stream) {
    double ratio = value(FF(AVRational, stream, stream_ratio));
    return ratio > 0 ? ratio
                     : value(FF(AVRational, FF(void *, stream, stream_coded), coded_ratio));
}

static void copy_name(char target[32], const AVStream *stream) {
    void *coded = FF(void *, stream, stream_coded);
    snprintf(target, 32, "%s", kf_ff.avcodec_get_name(FF(enum AVCodecID, coded, coded_codec)));
}

void kf_video_read_info(const kf_video *video, kf_video_info *info) {
    const AVStream *stream = kf_video_stream(video, video->film >= 0 ? video->film : video->cover);
    void *coded = FF(void *, stream, stream_coded);
    *info = (kf_video_info){.duration = -1};
    info->width = FF(int, coded, coded_width);
    info->height = FF(int, coded, coded_height);
    info->pixel_ratio = ratio_of(stream);
    info->orientation = orientation_of(matrix_of_stream(stream));
    info->has_video = video->film >= 0;
    info->has_cover = video->cover >= 0;
    copy_name(info->codec, stream);
    unsigned count = FF(unsigned, video->format, format_stream_count);
    for (unsigned index = 0; index < count && !info->has_sound; index++) {
        AVStream *other = kf_video_stream(video, (int)index);
        if (FF(int, FF(void *, other, stream_coded), coded_type) != AVMEDIA_TYPE_AUDIO) continue;
        info->has_sound = 1;
        copy_name(info->sound_codec, other);
    }
    int64_t whole = FF(int64_t, video->format, format_duration);
    int64_t own = FF(int64_t, stream, stream_duration);
    if (whole >= 0) info->duration = (double)whole / AV_TIME_BASE;
    else if (own >= 0) info->duration = kf_video_seconds(own, FF(AVRational, stream, stream_base));
    if (video->film >= 0) info->frame_rate = value(FF(AVRational, stream, stream_rate));
}

int64_t kf_video_start(const kf_video *video, const AVStream *stream) {
    int64_t start = FF(int64_t, video->format, format_start);
    double base = kf_video_seconds(1, FF(AVRational, stream, stream_base));
    if (start != AV_NOPTS_VALUE && base > 0) {
        double units = (double)start / AV_TIME_BASE / base;
        if (fabs(units) < 4e18) return llround(units);
    }
    int64_t own = FF(int64_t, stream, stream_start);
    return own == AV_NOPTS_VALUE ? 0 : own;
}

void kf_video_describe(const kf_video *video, kf_video_frame *out) {
    const AVFrame *frame = video->frame;
    const AVStream *stream = kf_video_stream(video, video->decoded);
    const int32_t *matrix = matrix_of_frame(frame);
    *out = (kf_video_frame){
        .width = FF(int, frame, frame_width),
        .height = FF(int, frame, frame_height),
        .pixel_ratio = value(FF(AVRational, frame, frame_ratio)),
        .orientation = orientation_of(matrix != NULL ? matrix : matrix_of_stream(stream)),
        .primaries = FF(int, frame, frame_primaries),
        .transfer = FF(int, frame, frame_transfer),
    };
    if (out->pixel_ratio <= 0) out->pixel_ratio = ratio_of(stream);
    int64_t time = FF(int64_t, frame, frame_time);
    if (video->decoded == video->film && time != AV_NOPTS_VALUE) {
        AVRational base = FF(AVRational, stream, stream_base);
        out->time = kf_video_seconds(time, base)
            - kf_video_seconds(kf_video_start(video, stream), base);
    }
}

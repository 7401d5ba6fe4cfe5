#define _GNU_SOURCE
#include "kf_video_internal.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

// More packets than a film of an hour has between two key frames. The time of a worker is bounded, too.
enum { MAX_PACKETS = 1 << 18 };

// Damaged packets and frames that are skipped for one request.
enum { MAX_FAULTS = 1000 };

// --- Decoding -------------------------------------------------------------------------------

static int64_t time_of(const AVFrame *frame) { return FF(int64_t, frame, frame_time); }

static int has_pixels(const AVFrame *frame) {
    return FF(int, frame, frame_width) > 0 && FF(int, frame, frame_height) > 0;
}

static void forget_frames(kf_video *video) {
    kf_ff.av_frame_unref(video->frame);
    kf_ff.av_frame_unref(video->next);
    video->has_next = 0;
}

static const AVCodec *find_decoder(const AVCodecParameters *coded) {
    const char *const *names = kf_video_decoders(FF(enum AVCodecID, coded, coded_codec));
    const AVCodec *decoder = NULL;
    for (; names != NULL && *names != NULL && decoder == NULL; names++)
        decoder = kf_ff.avcodec_find_decoder_by_name(*names);
    return decoder;
}

static kf_video_status open_decoder(kf_video *video, int index) {
    if (video->decoder != NULL && video->decoded == index) return KF_VIDEO_OK;
    kf_ff.avcodec_free_context(&video->decoder);
    video->decoded = -1;
    forget_frames(video);
    AVStream *stream = kf_video_stream(video, index);
    AVCodecParameters *coded = FF(AVCodecParameters *, stream, stream_coded);
    const AVCodec *codec = find_decoder(coded);
    if (codec == NULL) return KF_VIDEO_NO_PICTURES;
    video->decoder = kf_ff.avcodec_alloc_context3(codec);
    if (video->decoder == NULL) return KF_VIDEO_NO_MEMORY;
    if (kf_ff.avcodec_parameters_to_context(video->decoder, coded) < 0) return KF_VIDEO_DAMAGED;
    kf_ff.av_opt_set_q(video->decoder, "pkt_timebase", FF(AVRational, stream, stream_base), 0);
    AVDictionary *options = NULL;
    // A worker may start no thread.
    kf_ff.av_dict_set(&options, "threads", "1", 0);
    // 16384 × 8192, with which a decoder still fits into a worker.
    kf_ff.av_dict_set(&options, "max_pixels", "134217728", 0);
    int result = kf_ff.avcodec_open2(video->decoder, codec, &options);
    kf_ff.av_dict_free(&options);
    if (result < 0) return result == AVERROR(ENOMEM) ? KF_VIDEO_NO_MEMORY : KF_VIDEO_DAMAGED;
    video->decoded = index;
    return KF_VIDEO_OK;
}

// Reads the next packet of the decoder's stream. Returns 0 at the end, or where the rest is damaged.
static int read_packet(kf_video *video) {
    while (video->packets_left-- > 0) {
        int result = kf_ff.av_read_frame(video->format, video->packet);
        if (result == AVERROR(EAGAIN)) continue;
        if (result < 0) return 0;
        if (FF(int, video->packet, packet_stream) == video->decoded) {
            if (FF(int, video->packet, packet_flags) & AV_PKT_FLAG_KEY) video->waits_for_key = 0;
            if (!video->waits_for_key) return 1;
            int64_t time = FF(int64_t, video->packet, packet_time);
            if (time != AV_NOPTS_VALUE && time > video->target) video->packets_left = 0;
        }
        kf_ff.av_packet_unref(video->packet);
    }
    return 0;
}

// Receives the next frame into `next`. Returns 0 at the end.
static int receive(kf_video *video) {
    // Damaged packets are skipped, but not without an end.
    for (int faults = 0; faults < MAX_FAULTS;) {
        int result = kf_ff.avcodec_receive_frame(video->decoder, video->next);
        if (result == 0 && has_pixels(video->next)) return 1;
        if (result == AVERROR_EOF) return 0;
        if (result != AVERROR(EAGAIN)) faults++;
        // At the end the decoder returns what it still has.
        int has_packet = read_packet(video);
        if (kf_ff.avcodec_send_packet(video->decoder, has_packet ? video->packet : NULL) < 0) faults++;
        if (has_packet) kf_ff.av_packet_unref(video->packet);
    }
    return 0;
}

static void keep_next(kf_video *video) {
    video->has_next = 0;
    AVFrame *old = video->frame;
    video->frame = video->next;
    video->next = old;
    kf_ff.av_frame_unref(old);
}

// Goes to the last key frame before `target`, or to the first one if `is_start`.
static int go_to(kf_video *video, int64_t target, int is_start) {
    int result = -1;
    video->is_running = 0;
    video->seek_count++;
    // A time in such a stream leads into the middle of a packet.
    if (is_start && video->is_stream)
        result = kf_ff.av_seek_frame(video->format, video->film, 0, AVSEEK_FLAG_BYTE);
    if (result < 0)
        result = kf_ff.av_seek_frame(video->format, video->film, target, AVSEEK_FLAG_BACKWARD);
    // Nothing may lie before the first key frame.
    if (result < 0 && is_start) result = kf_ff.av_seek_frame(video->format, video->film, target, 0);
    kf_ff.avcodec_flush_buffers(video->decoder);
    forget_frames(video);
    video->packets_left = MAX_PACKETS;
    // Without any, decoding begins with the first packet of the file.
    video->waits_for_key = !is_start;
    return result;
}

// Reads the key frame to which go_to has led into `key`. In a stream that is only one before: then it
// is the last one that is not after the target. Returns whether there is one.
static int read_key(kf_video *video) {
    int has_key = 0;
    while (read_packet(video)) {
        int64_t time = FF(int64_t, video->packet, packet_time);
        int is_behind = has_key && time != AV_NOPTS_VALUE && time > video->target;
        if (!is_behind && FF(int, video->packet, packet_flags) & AV_PKT_FLAG_KEY) {
            kf_ff.av_packet_unref(video->key);
            kf_ff.av_packet_move_ref(video->key, video->packet);
            has_key = 1;
        }
        kf_ff.av_packet_unref(video->packet);
        if (is_behind || (has_key && !video->is_stream)) break;
    }
    return has_key;
}

// Decodes a key frame alone, so that the decoder need not see the frames after it.
static int decode_key(kf_video *video) {
    if (!read_key(video)) return 0;
    int is_decoded = 0;
    if (kf_ff.avcodec_send_packet(video->decoder, video->key) == 0) {
        kf_ff.avcodec_send_packet(video->decoder, NULL);
        is_decoded = kf_ff.avcodec_receive_frame(video->decoder, video->next) == 0
            && has_pixels(video->next);
    }
    kf_ff.av_packet_unref(video->key);
    if (is_decoded) keep_next(video);
    kf_ff.avcodec_flush_buffers(video->decoder);
    return is_decoded;
}

// Decodes until the frame that is displayed at `target`, in units of the stream, or only the first
// frame if `is_key`. Goes on from the last frame if the decoder is running. Returns whether there is one.
static int decode_at(kf_video *video, int64_t target, int is_key) {
    int has_frame = video->is_running;
    video->packets_left = MAX_PACKETS;
    while (video->has_next || receive(video)) {
        video->has_next = 1;
        int64_t time = time_of(video->next);
        // The frame after the wanted one shows that the wanted one was the last.
        if (has_frame && time != AV_NOPTS_VALUE && time > target) break;
        keep_next(video);
        has_frame = 1;
        if (is_key) break;
    }
    // At the end the decoder takes no more packets.
    video->is_running = video->has_next;
    return has_frame;
}

// Whether decoding goes on from the last frame to `target`: it is ahead, and no key frame is known to
// lie between them. Where the index is not complete, a long way is shorter by seeking.
static int is_ahead(const kf_video *video, int64_t target, double base) {
    enum { LONG_WAY = 20 };
    if (!video->is_running || video->decoded != video->film) return 0;
    int64_t time = time_of(video->frame);
    if (time == AV_NOPTS_VALUE || time > target) return 0;
    if (((double)target - (double)time) * base > LONG_WAY) return 0;
    AVStream *stream = kf_video_stream(video, video->film);
    return kf_ff.av_index_search_timestamp(stream, time, AVSEEK_FLAG_BACKWARD)
        == kf_ff.av_index_search_timestamp(stream, target, AVSEEK_FLAG_BACKWARD);
}

kf_video_status kf_video_seek(kf_video *video, double at, int is_key, kf_video_frame *frame) {
    if (video->film < 0) return KF_VIDEO_NO_PICTURES;
    kf_video_status status = open_decoder(video, video->film);
    if (status != KF_VIDEO_OK) return status;
    AVStream *stream = kf_video_stream(video, video->film);
    double base = kf_video_seconds(1, FF(AVRational, stream, stream_base));
    if (!(base > 0) || !isfinite(at)) return KF_VIDEO_DAMAGED;
    int64_t start = kf_video_start(video, stream), target;
    // A time that was rounded down to milliseconds means its frame.
    double units = fmin(fmax((at + 0.0005) / base, 0), 4e18);
    if (__builtin_add_overflow(start, (int64_t)units, &target)) target = INT64_MAX;
    video->target = target;
    if (!is_key && is_ahead(video, target, base) && decode_at(video, target, 0)
        && video->missing < 0) {
        kf_video_describe(video, frame);
        return KF_VIDEO_OK;
    }
    // Some containers know only roughly where a time is, and some decoders need an earlier frame.
    static const double earlier[] = {0, 3, 20, INFINITY};
    enum { ATTEMPTS = sizeof earlier / sizeof *earlier };
    for (int attempt = 0; attempt < ATTEMPTS && video->missing < 0; attempt++) {
        double back = earlier[attempt] / base;
        int64_t from = (double)target - (double)start > back ? target - (int64_t)back : start;
        int is_last = attempt + 1 == ATTEMPTS;
        // One without an index, or with a single frame, is read from its beginning.
        int is_found = go_to(video, from, is_last) >= 0;
        if (!is_found && !is_last) continue;
        int is_decoded = is_key && decode_key(video);
        if (is_key && !is_decoded) go_to(video, from, is_last);
        if (!is_decoded && !decode_at(video, target, is_key)) continue;
        // A frame after the gap may be the wanted one.
        if (video->missing >= 0) break;
        int64_t time = time_of(video->frame);
        if (time == AV_NOPTS_VALUE || time <= target || is_last) {
            kf_video_describe(video, frame);
            return KF_VIDEO_OK;
        }
    }
    return video->missing >= 0 ? KF_VIDEO_MISSING : KF_VIDEO_DAMAGED;
}

kf_video_status kf_video_cover(kf_video *video, kf_video_frame *frame) {
    if (video->cover < 0) return KF_VIDEO_NO_PICTURES;
    kf_video_status status = open_decoder(video, video->cover);
    if (status != KF_VIDEO_OK) return status;
    kf_ff.avcodec_flush_buffers(video->decoder);
    video->is_running = 0;
    AVStream *stream = kf_video_stream(video, video->cover);
    const AVPacket *picture = (const AVPacket *)&FF(char, stream, stream_picture);
    if (kf_ff.avcodec_send_packet(video->decoder, picture) < 0) return KF_VIDEO_DAMAGED;
    kf_ff.avcodec_send_packet(video->decoder, NULL);
    if (kf_ff.avcodec_receive_frame(video->decoder, video->next) < 0 || !has_pixels(video->next))
        return KF_VIDEO_DAMAGED;
    keep_next(video);
    kf_video_describe(video, frame);
    return KF_VIDEO_OK;
}

// --- Pixels ---------------------------------------------------------------------------------

static int is_interlaced(const AVFrame *frame) {
    if (kf_ff.version == 61) return (FF(int, frame, frame_flags) & KF_FF_INTERLACED_FLAG_61) != 0;
    return *(const int *)((const char *)frame + KF_FF_INTERLACED_60);
}

// The matrix, by the code points of ITU-T H.273. High definition that does not state it uses that of
// BT.709.
static int matrix_of(const AVFrame *frame) {
    switch (FF(int, frame, frame_matrix)) {
    case 1: return SWS_CS_ITU709;
    case 4: return SWS_CS_FCC;
    case 5:
    case 6: return SWS_CS_ITU601;
    case 7: return SWS_CS_SMPTE240M;
    case 9:
    case 10: return SWS_CS_BT2020;
    default:
        return FF(int, frame, frame_height) >= 720 || FF(int, frame, frame_width) >= 1280
            ? SWS_CS_ITU709
            : SWS_CS_ITU601;
    }
}

// The format of a frame. Those of JPEG are others with a range of their own.
static enum AVPixelFormat format_of(const AVFrame *frame, int *is_full) {
    static const char *const full[][2] = {{"yuvj420p", "yuv420p"}, {"yuvj422p", "yuv422p"},
                                          {"yuvj444p", "yuv444p"}, {"yuvj440p", "yuv440p"},
                                          {"yuvj411p", "yuv411p"}};
    enum AVPixelFormat format = FF(enum AVPixelFormat, frame, frame_format);
    const AVPixFmtDescriptor *known = kf_ff.av_pix_fmt_desc_get(format);
    *is_full = FF(int, frame, frame_range) == AVCOL_RANGE_JPEG;
    if (known == NULL) return AV_PIX_FMT_NONE;
    for (size_t index = 0; index < sizeof full / sizeof *full; index++)
        if (strcmp(full[index][0], FF(const char *, known, pixel_name)) == 0) {
            *is_full = 1;
            return kf_ff.av_get_pix_fmt(full[index][1]);
        }
    return format;
}

// Cover images may be transparent, which nothing else here is.
static void make_opaque(void *pixels, size_t row_bytes, int width, int height, int is_deep) {
    for (int y = 0; y < height; y++) {
        void *row = (char *)pixels + (size_t)y * row_bytes;
        if (is_deep)
            for (int x = 0; x < width; x++) ((uint16_t *)row)[4 * x + 3] = UINT16_MAX;
        else
            for (int x = 0; x < width; x++) ((uint8_t *)row)[4 * x + 3] = UINT8_MAX;
    }
}

kf_video_status kf_video_pixels(kf_video *video, void *pixels, size_t row_bytes, int width,
                                int height, int is_deep) {
    const AVFrame *frame = video->frame;
    if (!has_pixels(frame) || width <= 0 || height <= 0 || row_bytes > INT_MAX)
        return KF_VIDEO_DAMAGED;
    const uint8_t *planes[4];
    int strides[4], lines = FF(int, frame, frame_height), is_full;
    enum AVPixelFormat format = format_of(frame, &is_full);
    if (format == AV_PIX_FMT_NONE) return KF_VIDEO_DAMAGED;
    for (int plane = 0; plane < 4; plane++) {
        planes[plane] = (&FF(uint8_t *, frame, frame_planes))[plane];
        strides[plane] = (&FF(int, frame, frame_strides))[plane];
    }
    // One of the two moments of an interlaced frame: every second line.
    if (is_interlaced(frame) && lines >= 4) {
        lines /= 2;
        for (int plane = 0; plane < 4; plane++) strides[plane] *= 2;
    }
    struct SwsContext *scaler = kf_ff.sws_getContext(
        FF(int, frame, frame_width), lines, format, width, height,
        kf_ff.av_get_pix_fmt(is_deep ? "rgba64le" : "rgba"), SWS_BICUBIC, NULL, NULL, NULL);
    if (scaler == NULL) return KF_VIDEO_DAMAGED;
    const int *matrix = kf_ff.sws_getCoefficients(matrix_of(frame));
    // Refused for formats that are not YUV, which need none.
    kf_ff.sws_setColorspaceDetails(scaler, matrix, is_full, matrix, 1, 0, 1 << 16, 1 << 16);
    uint8_t *rows[4] = {pixels};
    int row_strides[4] = {(int)row_bytes};
    int result = kf_ff.sws_scale(scaler, planes, strides, 0, lines, rows, row_strides);
    kf_ff.sws_freeContext(scaler);
    if (result <= 0) return KF_VIDEO_DAMAGED;
    make_opaque(pixels, row_bytes, width, height, is_deep);
    return KF_VIDEO_OK;
}

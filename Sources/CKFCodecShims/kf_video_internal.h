#pragma once
#include "kf_video.h"

#include "abi_ffmpeg.h"
#include "kf_picture_internal.h"

// By library, because each is found by its own name.
#define KF_FORMAT_FUNCTIONS(DO) \
    DO(avformat_version) \
    DO(avformat_alloc_context) \
    DO(av_find_input_format) \
    DO(avformat_open_input) \
    DO(avformat_close_input) \
    DO(avformat_find_stream_info) \
    DO(avio_alloc_context) \
    DO(avio_context_free) \
    DO(av_read_frame) \
    DO(av_seek_frame) \
    DO(av_index_search_timestamp)
#define KF_CODEC_FUNCTIONS(DO) \
    DO(avcodec_version) \
    DO(avcodec_get_name) \
    DO(avcodec_find_decoder_by_name) \
    DO(avcodec_alloc_context3) \
    DO(avcodec_free_context) \
    DO(avcodec_parameters_to_context) \
    DO(avcodec_open2) \
    DO(avcodec_flush_buffers) \
    DO(avcodec_send_packet) \
    DO(avcodec_receive_frame) \
    DO(av_packet_alloc) \
    DO(av_packet_free) \
    DO(av_packet_unref) \
    DO(av_packet_move_ref)
#define KF_UTIL_FUNCTIONS(DO) \
    DO(avutil_version) \
    DO(av_malloc) \
    DO(av_free) \
    DO(av_dict_set) \
    DO(av_dict_free) \
    DO(av_opt_set_q) \
    DO(av_frame_alloc) \
    DO(av_frame_free) \
    DO(av_frame_unref) \
    DO(av_frame_get_side_data) \
    DO(av_log_set_level) \
    DO(av_pix_fmt_desc_get) \
    DO(av_get_pix_fmt)
#define KF_SCALE_FUNCTIONS(DO) \
    DO(swscale_version) \
    DO(sws_getContext) \
    DO(sws_freeContext) \
    DO(sws_getCoefficients) \
    DO(sws_setColorspaceDetails) \
    DO(sws_scale)

#define KF_FF_OFFSET(name, type, member, v59, v60, v61) unsigned short name;

struct kf_ff {
    KF_FORMAT_FUNCTIONS(KF_FIELD)
    KF_CODEC_FUNCTIONS(KF_FIELD)
    KF_UTIL_FUNCTIONS(KF_FIELD)
    KF_SCALE_FUNCTIONS(KF_FIELD)
    // The places of members.
    struct {
        KF_FF_FIELDS(KF_FF_OFFSET)
    } at;
    // The version of libavformat.
    int version;
};

// Filled by kf_video_load.
extern struct kf_ff kf_ff;

// A member of a structure of FFmpeg.
#define FF(type, object, name) (*(type *)((char *)(object) + kf_ff.at.name))

struct kf_video {
    // The file, of which a window is mapped; the whole file if it is in memory. Its ranges are owned.
    kf_video_source source;
    // The place of a byte that is not there; negative if all were.
    int64_t missing;
    int64_t position;
    const uint8_t *window;
    int64_t window_start;
    int64_t window_length;

    // Whether it is an MPEG transport stream, which has neither an index nor a beginning.
    int is_stream;
    AVIOContext *io;
    AVFormatContext *format;
    // Indexes of streams; negative if there are none.
    int film, cover;
    AVCodecContext *decoder;
    // The stream of the decoder.
    int decoded;
    AVPacket *packet, *key;
    // How many packets may still be read.
    int packets_left;
    // Whether packets before the next key frame are left out, and the time behind which there is none.
    int waits_for_key;
    int64_t target;
    // The last decoded frame, and the one after it if that was needed to know.
    AVFrame *frame, *next;
    int has_next;
    // Whether the decoder can continue after `next`.
    int is_running;
    int seek_count;
};

static inline AVStream *kf_video_stream(const kf_video *video, int index) {
    return FF(AVStream **, video->format, format_streams)[index];
}

static inline double kf_video_seconds(int64_t count, AVRational base) {
    return base.den == 0 ? 0 : (double)count * base.num / base.den;
}

// The names of the decoders for a codec, the best first; NULL if it is not in the list.
const char *const *kf_video_decoders(enum AVCodecID codec);

// Reading, for libavformat.
int kf_video_read_bytes(void *context, uint8_t *bytes, int count);
int64_t kf_video_seek_bytes(void *context, int64_t offset, int whence);
// Copies the ranges, because the source's need not stay. Returns whether there was memory.
int kf_video_copy_ranges(kf_video_source *source);
void kf_video_end_reading(kf_video *video);

// Describes the last decoded frame.
void kf_video_describe(const kf_video *video, kf_video_frame *out);

// The time of the video's beginning in units of the stream: that of the stream that begins first.
int64_t kf_video_start(const kf_video *video, const AVStream *stream);

#pragma once
// The part of the interfaces of FFmpeg's libraries that the shim uses, so that building needs none of
// their headers: functions, and the places of members in the structures of three versions. Numbers of
// codecs and pixel formats change between versions, so these are compared by name. Scripts/walls.sh
// also compiles the shim with the headers of the installed version.
#ifdef KF_SYSTEM_HEADERS
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#else
#include <stddef.h>
#include <stdint.h>

typedef struct AVRational {
    int num;
    int den;
} AVRational;
typedef struct AVFormatContext AVFormatContext;
typedef struct AVInputFormat AVInputFormat;
typedef struct AVIOContext AVIOContext;
typedef struct AVStream AVStream;
typedef struct AVCodecParameters AVCodecParameters;
typedef struct AVCodecContext AVCodecContext;
typedef struct AVCodec AVCodec;
typedef struct AVPacket AVPacket;
typedef struct AVFrame AVFrame;
typedef struct AVFrameSideData AVFrameSideData;
typedef struct AVDictionary AVDictionary;
typedef struct AVPixFmtDescriptor AVPixFmtDescriptor;
typedef struct SwsContext SwsContext;
typedef struct SwsFilter SwsFilter;
enum AVPixelFormat { AV_PIX_FMT_NONE = -1 };
enum AVCodecID { AV_CODEC_ID_NONE };
enum AVFrameSideDataType { AV_FRAME_DATA_DISPLAYMATRIX = 6 };
enum { AV_PKT_DATA_DISPLAYMATRIX = 5 };

enum {
    AVFMTCTX_NOHEADER = 1,
    AVMEDIA_TYPE_VIDEO = 0,
    AVMEDIA_TYPE_AUDIO = 1,
    AVDISCARD_ALL = 48,
    AV_DISPOSITION_ATTACHED_PIC = 0x400,
    AV_PKT_FLAG_KEY = 1,
    AVSEEK_FLAG_BACKWARD = 1,
    AVSEEK_FLAG_BYTE = 2,
    AVSEEK_SIZE = 0x10000,
    AVSEEK_FORCE = 0x20000,
    AV_TIME_BASE = 1000000,
    AV_LOG_QUIET = -8,
    AVCOL_RANGE_JPEG = 2,
    AVERROR_EOF = -(int)('E' | 'O' << 8 | 'F' << 16 | ' ' << 24),
    SWS_BICUBIC = 4,
    SWS_CS_ITU709 = 1,
    SWS_CS_FCC = 4,
    SWS_CS_ITU601 = 5,
    SWS_CS_SMPTE240M = 7,
    SWS_CS_BT2020 = 9,
};
#define AVERROR(error) (-(error))
#define AV_NOPTS_VALUE INT64_MIN

unsigned avformat_version(void);
AVFormatContext *avformat_alloc_context(void);
const AVInputFormat *av_find_input_format(const char *name);
int avformat_open_input(AVFormatContext **format, const char *url, const AVInputFormat *input,
                        AVDictionary **options);
void avformat_close_input(AVFormatContext **format);
int avformat_find_stream_info(AVFormatContext *format, AVDictionary **options);
AVIOContext *avio_alloc_context(unsigned char *buffer, int size, int writes, void *context,
                                int (*read)(void *context, uint8_t *bytes, int count), void *write,
                                int64_t (*seek)(void *context, int64_t offset, int whence));
void avio_context_free(AVIOContext **io);
int av_read_frame(AVFormatContext *format, AVPacket *packet);
int av_seek_frame(AVFormatContext *format, int stream, int64_t time, int flags);
int av_index_search_timestamp(AVStream *stream, int64_t time, int flags);
unsigned avcodec_version(void);
const char *avcodec_get_name(enum AVCodecID codec);
const AVCodec *avcodec_find_decoder_by_name(const char *name);
AVCodecContext *avcodec_alloc_context3(const AVCodec *codec);
void avcodec_free_context(AVCodecContext **context);
int avcodec_parameters_to_context(AVCodecContext *context, const AVCodecParameters *parameters);
int avcodec_open2(AVCodecContext *context, const AVCodec *codec, AVDictionary **options);
void avcodec_flush_buffers(AVCodecContext *context);
int avcodec_send_packet(AVCodecContext *context, const AVPacket *packet);
int avcodec_receive_frame(AVCodecContext *context, AVFrame *frame);
AVPacket *av_packet_alloc(void);
void av_packet_free(AVPacket **packet);
void av_packet_unref(AVPacket *packet);
void av_packet_move_ref(AVPacket *target, AVPacket *packet);
unsigned avutil_version(void);
void *av_malloc(size_t count);
void av_free(void *memory);
int av_dict_set(AVDictionary **dictionary, const char *key, const char *value, int flags);
void av_dict_free(AVDictionary **dictionary);
int av_opt_set_q(void *object, const char *name, AVRational value, int flags);
AVFrame *av_frame_alloc(void);
void av_frame_free(AVFrame **frame);
void av_frame_unref(AVFrame *frame);
AVFrameSideData *av_frame_get_side_data(const AVFrame *frame, enum AVFrameSideDataType type);
void av_log_set_level(int level);
const AVPixFmtDescriptor *av_pix_fmt_desc_get(enum AVPixelFormat format);
enum AVPixelFormat av_get_pix_fmt(const char *name);
unsigned swscale_version(void);
SwsContext *sws_getContext(int width, int height, enum AVPixelFormat format, int new_width,
                           int new_height, enum AVPixelFormat new_format, int flags,
                           SwsFilter *filter, SwsFilter *new_filter, const double *parameters);
void sws_freeContext(SwsContext *context);
const int *sws_getCoefficients(int space);
int sws_setColorspaceDetails(SwsContext *context, const int matrix[4], int is_full,
                             const int new_matrix[4], int new_is_full, int brightness, int contrast,
                             int saturation);
int sws_scale(SwsContext *context, const uint8_t *const planes[], const int strides[], int y,
              int height, uint8_t *const new_planes[], const int new_strides[]);
#endif

// Name, type, member, and its place in libavformat 59 with libavutil 57 (Debian 12), in 60 with 58
// (Ubuntu 24.04) and in 61 with 59 (Debian 13).
#define KF_FF_FIELDS(DO) \
    DO(input_name, AVInputFormat, name, 0, 0, 0) \
    DO(format_input, AVFormatContext, iformat, 8, 8, 8) \
    DO(format_io, AVFormatContext, pb, 32, 32, 32) \
    DO(format_flags, AVFormatContext, ctx_flags, 40, 40, 40) \
    DO(format_stream_count, AVFormatContext, nb_streams, 44, 44, 44) \
    DO(format_streams, AVFormatContext, streams, 48, 48, 48) \
    DO(format_start, AVFormatContext, start_time, 64, 64, 96) \
    DO(format_duration, AVFormatContext, duration, 72, 72, 104) \
    DO(io_buffer, AVIOContext, buffer, 8, 8, 8) \
    DO(stream_coded, AVStream, codecpar, 208, 16, 16) \
    DO(stream_base, AVStream, time_base, 16, 32, 32) \
    DO(stream_start, AVStream, start_time, 24, 40, 40) \
    DO(stream_duration, AVStream, duration, 32, 48, 48) \
    DO(stream_disposition, AVStream, disposition, 48, 64, 64) \
    DO(stream_discard, AVStream, discard, 52, 68, 68) \
    DO(stream_ratio, AVStream, sample_aspect_ratio, 56, 72, 72) \
    DO(stream_rate, AVStream, avg_frame_rate, 72, 88, 88) \
    DO(stream_picture, AVStream, attached_pic, 80, 96, 96) \
    DO(coded_type, AVCodecParameters, codec_type, 0, 0, 0) \
    DO(coded_codec, AVCodecParameters, codec_id, 4, 4, 4) \
    DO(coded_width, AVCodecParameters, width, 56, 56, 72) \
    DO(coded_height, AVCodecParameters, height, 60, 60, 76) \
    DO(coded_ratio, AVCodecParameters, sample_aspect_ratio, 64, 64, 80) \
    DO(packet_time, AVPacket, pts, 8, 8, 8) \
    DO(packet_size, AVPacket, size, 32, 32, 32) \
    DO(packet_stream, AVPacket, stream_index, 36, 36, 36) \
    DO(packet_flags, AVPacket, flags, 40, 40, 40) \
    DO(frame_planes, AVFrame, data, 0, 0, 0) \
    DO(frame_strides, AVFrame, linesize, 64, 64, 64) \
    DO(frame_width, AVFrame, width, 104, 104, 104) \
    DO(frame_height, AVFrame, height, 108, 108, 108) \
    DO(frame_format, AVFrame, format, 116, 116, 116) \
    DO(frame_ratio, AVFrame, sample_aspect_ratio, 128, 128, 128) \
    DO(frame_flags, AVFrame, flags, 316, 316, 292) \
    DO(frame_range, AVFrame, color_range, 320, 320, 296) \
    DO(frame_primaries, AVFrame, color_primaries, 324, 324, 300) \
    DO(frame_transfer, AVFrame, color_trc, 328, 328, 304) \
    DO(frame_matrix, AVFrame, colorspace, 332, 332, 308) \
    DO(frame_time, AVFrame, best_effort_timestamp, 344, 344, 320) \
    DO(side_data, AVFrameSideData, data, 8, 8, 8) \
    DO(side_size, AVFrameSideData, size, 16, 16, 16) \
    DO(pixel_name, AVPixFmtDescriptor, name, 0, 0, 0) \
    DO(pixel_depth, AVPixFmtDescriptor, comp[0].depth, 40, 40, 40)

// Members that moved to another structure: side data of a stream, and whether a frame is interlaced.
enum {
    KF_FF_SIDE_59 = 184,  // AVStream.side_data, AVStream.nb_side_data
    KF_FF_SIDE_60 = 200,
    KF_FF_SIDE_61 = 32,   // AVCodecParameters.coded_side_data, .nb_coded_side_data
    KF_FF_INTERLACED_60 = 188,  // AVFrame.interlaced_frame, also in 59
    KF_FF_INTERLACED_FLAG_61 = 1 << 3,
};

// AVPacketSideData.
struct kf_ff_side {
    const uint8_t *data;
    size_t size;
    int type;
};

#ifdef KF_SYSTEM_HEADERS
#if LIBAVFORMAT_VERSION_MAJOR == 59
#define KF_FF_PLACE(v59, v60, v61) v59
#define KF_FF_SIDE KF_FF_SIDE_59
#elif LIBAVFORMAT_VERSION_MAJOR == 60
#define KF_FF_PLACE(v59, v60, v61) v60
#define KF_FF_SIDE KF_FF_SIDE_60
#endif
#ifdef KF_FF_SIDE
_Static_assert(offsetof(AVStream, side_data) == KF_FF_SIDE
                   && offsetof(AVStream, nb_side_data) == KF_FF_SIDE + 8
                   && offsetof(AVFrame, interlaced_frame) == KF_FF_INTERLACED_60,
               "");
#elif LIBAVFORMAT_VERSION_MAJOR == 61
#define KF_FF_PLACE(v59, v60, v61) v61
_Static_assert(offsetof(AVCodecParameters, coded_side_data) == KF_FF_SIDE_61
                   && offsetof(AVCodecParameters, nb_coded_side_data) == KF_FF_SIDE_61 + 8
                   && AV_FRAME_FLAG_INTERLACED == KF_FF_INTERLACED_FLAG_61,
               "");
#endif
#ifdef KF_FF_PLACE
#define KF_FF_ASSERT(name, type, member, v59, v60, v61) \
    _Static_assert(offsetof(type, member) == KF_FF_PLACE(v59, v60, v61), #type "." #member);
KF_FF_FIELDS(KF_FF_ASSERT)
#endif
_Static_assert(sizeof(struct kf_ff_side) == sizeof(AVPacketSideData)
                   && offsetof(struct kf_ff_side, type) == offsetof(AVPacketSideData, type),
               "");
#endif

_Static_assert(AVFMTCTX_NOHEADER == 1 && AVMEDIA_TYPE_VIDEO == 0 && AVMEDIA_TYPE_AUDIO == 1
                   && AVDISCARD_ALL == 48 && AV_DISPOSITION_ATTACHED_PIC == 0x400
                   && AV_PKT_FLAG_KEY == 1 && AVSEEK_FLAG_BACKWARD == 1
                   && AVSEEK_FLAG_BYTE == 2 && AVSEEK_SIZE == 0x10000
                   && AVSEEK_FORCE == 0x20000 && AV_TIME_BASE == 1000000 && AV_LOG_QUIET == -8
                   && AVCOL_RANGE_JPEG == 2 && AVERROR_EOF == -0x20464f45,
               "");
_Static_assert(SWS_BICUBIC == 4 && SWS_CS_ITU709 == 1 && SWS_CS_FCC == 4 && SWS_CS_ITU601 == 5
                   && SWS_CS_SMPTE240M == 7 && SWS_CS_BT2020 == 9,
               "");
_Static_assert(AV_FRAME_DATA_DISPLAYMATRIX == 6 && AV_PKT_DATA_DISPLAYMATRIX == 5
                   && AV_NOPTS_VALUE == INT64_MIN,
               "");

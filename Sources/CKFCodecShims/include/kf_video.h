#pragma once
#include <stddef.h>
#include <stdint.h>

// Frames of videos, decoded by FFmpeg's libraries. They are loaded when they are first needed, so that
// neither a build nor a program depends on them. Only worker processes call this.

typedef enum kf_video_status {
    KF_VIDEO_OK = 0,
    // The libraries are not installed, or in a version that the shim does not know.
    KF_VIDEO_NO_LIBRARY = 1,
    // The file is no video in the named container.
    KF_VIDEO_UNKNOWN = 2,
    // Neither a video nor a cover image in a codec of the list.
    KF_VIDEO_NO_PICTURES = 3,
    // No frame can be decoded.
    KF_VIDEO_DAMAGED = 4,
    KF_VIDEO_NO_MEMORY = 5,
    // A part of the file is not there; see kf_video_missing.
    KF_VIDEO_MISSING = 6,
} kf_video_status;

typedef struct kf_video_info {
    // Of the stored frames of the video, or of the cover image if there is no video.
    int width;
    int height;
    // The width of a pixel divided by its height; 0 if it is not stated.
    double pixel_ratio;
    // Seconds; negative if unknown.
    double duration;
    // Frames per second on average; 0 if unknown.
    double frame_rate;
    int has_video;
    int has_cover;
    int has_sound;
    int orientation;  // 1…8, as in Exif
    // Names of FFmpeg, such as "h264"; the codec of the sound is empty without sound.
    char codec[32];
    char sound_codec[32];
} kf_video_info;

typedef struct kf_video_frame {
    // As stored.
    int width;
    int height;
    // The width of a pixel divided by its height; 0 if it is not stated.
    double pixel_ratio;
    int orientation;  // 1…8, as in Exif
    // Code points of ITU-T H.273.
    int primaries;
    int transfer;
    // Seconds from the beginning of the video; 0 for a cover image.
    double time;
} kf_video_frame;

typedef struct kf_video kf_video;

// The bytes from `start` up to `end`.
typedef struct kf_video_range {
    int64_t start;
    int64_t end;
} kf_video_range;

// Where a file lies.
typedef struct kf_video_source {
    // The bytes in memory; NULL for a descriptor, which is mapped in parts.
    const uint8_t *_Nullable bytes;
    int descriptor;
    int64_t size;
    // The parts of the descriptor's file that are there; NULL for all of it. Copied.
    const kf_video_range *_Nullable ranges;
    size_t range_count;
} kf_video_source;

// Loads the libraries, which opens files. Returns whether they are installed.
int kf_video_load(void);

// Opens a video. `container` is one of "mov", "matroska", "avi", "mpegts", "mp3" and "flac". The source
// must outlive it. Nothing else is opened. `missing` gets the place of a byte that was needed and is not
// there.
kf_video_status kf_video_open(kf_video_source source, const char *_Nonnull container,
                              kf_video *_Nullable *_Nonnull video, int64_t *_Nonnull missing);
void kf_video_close(kf_video *_Nonnull video);

// The place of the byte that was needed and is not there. After that the video can only be closed.
int64_t kf_video_missing(const kf_video *_Nonnull video);

// How often the place of decoding was changed.
int kf_video_seek_count(const kf_video *_Nonnull video);

void kf_video_read_info(const kf_video *_Nonnull video, kf_video_info *_Nonnull info);

// Decodes the frame that is displayed at a time, or the nearest key frame before it if `is_key`. Decoding
// continues from the last frame where no key frame lies between them. A time before the first frame
// means the first one, and a time after the last frame the last one.
kf_video_status kf_video_seek(kf_video *_Nonnull video, double seconds, int is_key,
                              kf_video_frame *_Nonnull frame);

// Decodes the cover image.
kf_video_status kf_video_cover(kf_video *_Nonnull video, kf_video_frame *_Nonnull frame);

// Converts the last decoded frame to opaque RGBA in any size, of 16 bits if `is_deep`. `row_bytes` is a
// multiple of 64, and `pixels` has room for 64 bytes more.
kf_video_status kf_video_pixels(kf_video *_Nonnull video, void *_Nonnull pixels, size_t row_bytes,
                                int width, int height, int is_deep);

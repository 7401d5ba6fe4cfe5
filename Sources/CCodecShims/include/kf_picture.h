#pragma once
#include <stddef.h>
#include <stdint.h>

// The formats that package traits switch on, all read in the same way: the header first, then rows
// from top to bottom. Errors are return values; no message is written anywhere else.

typedef enum kf_picture_kind {
    KF_PICTURE_JXL = 0,
    KF_PICTURE_HEIF = 1,
    KF_PICTURE_TIFF = 2,
    KF_PICTURE_SVG = 3,
} kf_picture_kind;

typedef enum kf_picture_status {
    KF_PICTURE_OK = 0,
    // See kf_picture_message.
    KF_PICTURE_CORRUPT = 1,
    // Rows that came are good; the rest is missing or coarse.
    KF_PICTURE_TRUNCATED = 2,
    // See kf_picture_message; also when the trait is off.
    KF_PICTURE_UNSUPPORTED = 3,
    // The library wants more memory than allowed, or there is none.
    KF_PICTURE_TOO_MUCH_MEMORY = 4,
} kf_picture_status;

typedef struct kf_picture_info {
    // As stored, before orientation. Of a drawing: the size that it asks for.
    int width;
    int height;
    int orientation;  // 1…8, as EXIF counts
    int bits_per_channel;
    int has_alpha;
    int is_premultiplied;
    int is_animated;
    uint32_t loop_count;  // 0 for ever
    // What the library holds of a picture besides what it delivers, roughly; 0 if it is little.
    int working_bytes_per_pixel;
    // An ICC profile of the rows; NULL for none. Belongs to the picture.
    const uint8_t *_Nullable profile;
    size_t profile_count;
    // Whether the file itself carries one.
    int has_profile;
    // Code points of ITU-T H.273; 2, unspecified, where the format has none.
    int primaries;
    int transfer;
} kf_picture_info;

typedef struct kf_picture kf_picture;

// Takes width × 4 bytes of RGBA, which are gone after the call.
typedef void (*kf_picture_row)(void *_Nonnull context, const uint8_t *_Nonnull row);

// A picture without anything in it; NULL when there is no memory. The bytes must outlive it.
// `max_memory` bounds the buffers of libraries that can be told; of others kf_picture_info tells
// what they take.
kf_picture *_Nullable kf_picture_create(kf_picture_kind kind, const uint8_t *_Nonnull bytes,
                                        size_t count, size_t max_memory, int max_side);
void kf_picture_destroy(kf_picture *_Nonnull picture);

// Reads the header; to be called once, first.
kf_picture_status kf_picture_read_header(kf_picture *_Nonnull picture,
                                         kf_picture_info *_Nonnull info);

// Decodes all rows, in order; to be called once. A drawing is rendered at width × height, every
// other format delivers its stored size, whatever is asked for.
kf_picture_status kf_picture_read_rows(kf_picture *_Nonnull picture, int width, int height,
                                       kf_picture_row _Nonnull row, void *_Nonnull context);

// What the library found, for the last status that was not KF_PICTURE_OK.
const char *_Nonnull kf_picture_message(const kf_picture *_Nonnull picture);

// Takes how long a frame is to be shown, in seconds, and tells whether to go on.
typedef int (*kf_jxl_delay)(void *_Nonnull context, double seconds);

// Finds the frames of an animation after the header was read; decodes no pixel.
kf_picture_status kf_jxl_read_delays(kf_picture *_Nonnull picture, kf_jxl_delay _Nonnull take,
                                     void *_Nonnull context);

// Decodes frame `index` of an animation as packed rows of the whole canvas, quickest in their order.
// A file that ends within it leaves a coarse picture, or the pixels as they were.
kf_picture_status kf_jxl_read_frame(kf_picture *_Nonnull picture, int index,
                                    uint8_t *_Nonnull pixels, size_t count);

typedef struct kf_jxl_encoding {
    int width;
    int height;
    int has_alpha;    // four bytes a pixel, straight; else three
    int is_lossless;
    float distance;   // 0…25 in just noticeable differences, for lossy pictures
} kf_jxl_encoding;

// Encodes packed rows. On success `*bytes` is from malloc and belongs to the caller.
kf_picture_status kf_jxl_encode(kf_jxl_encoding encoding, const uint8_t *_Nonnull pixels,
                                uint8_t *_Nullable *_Nonnull bytes, size_t *_Nonnull count);

#pragma once
#include <stddef.h>
#include <stdint.h>

// The formats whose libraries are loaded with the first file of theirs, all read in the same way: the
// header first, then rows from top to bottom. Errors are return values; nothing is logged.

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
    // The delivered rows are valid; the rest is missing or coarse.
    KF_PICTURE_TRUNCATED = 2,
    // See kf_picture_message. Also returned if the library is not loaded.
    KF_PICTURE_UNSUPPORTED = 3,
    // The library needs more memory than allowed, or than is available.
    KF_PICTURE_TOO_MUCH_MEMORY = 4,
} kf_picture_status;

typedef struct kf_picture_info {
    // As stored, before orientation. For a drawing: its intrinsic size.
    int width;
    int height;
    int orientation;  // 1…8, as in Exif
    int bits_per_channel;
    int has_alpha;
    int is_premultiplied;
    int is_animated;
    // Whether rows have 16 bits per channel, in the order of the processor.
    int is_deep;
    uint32_t loop_count;  // 0: forever
    // An estimate of the library's memory besides the delivered rows; 0 if negligible.
    int working_bytes_per_pixel;
    // The ICC profile of the rows, or NULL. Belongs to the kf_picture.
    const uint8_t *_Nullable profile;
    size_t profile_count;
    // Whether the file contains an ICC profile.
    int has_profile;
    // Code points of ITU-T H.273; 2 (unspecified) if the format has none.
    int primaries;
    int transfer;
} kf_picture_info;

typedef struct kf_picture kf_picture;

// Receives RGBA of 8 bits, or of 16 with kf_picture_info.is_deep, which are invalid after the call.
typedef void (*kf_picture_row)(void *_Nonnull context, const void *_Nonnull row);

// Loads the first of these files that is installed, for good, and returns what `fill` does, which
// finds the functions in it; 0 if there is none. The list ends with NULL.
int kf_library_load(const char *_Nullable const *_Nonnull files,
                    int (*_Nonnull fill)(void *_Nonnull library));

// Loads the library of a format; returns whether it is installed and has an interface that is known.
// Call it once for each format, before anything else of that format. Loading opens files.
int kf_picture_load(kf_picture_kind kind);

// Creates a handle for a file; NULL if memory cannot be allocated. The bytes must outlive it.
// `max_memory` limits the buffers of libraries that accept a limit; for the others, kf_picture_info
// estimates their memory.
kf_picture *_Nullable kf_picture_create(kf_picture_kind kind, const uint8_t *_Nonnull bytes,
                                        size_t count, size_t max_memory, int max_side);
void kf_picture_destroy(kf_picture *_Nonnull picture);

// Reads the header. Call it once, before anything else.
kf_picture_status kf_picture_read_header(kf_picture *_Nonnull picture,
                                         kf_picture_info *_Nonnull info);

// Decodes all rows in order. Call it once. A drawing is rendered at width × height; every other
// format is delivered in its stored size, whatever these are.
kf_picture_status kf_picture_read_rows(kf_picture *_Nonnull picture, int width, int height,
                                       kf_picture_row _Nonnull row, void *_Nonnull context);

// The library's message for the last status other than KF_PICTURE_OK.
const char *_Nonnull kf_picture_message(const kf_picture *_Nonnull picture);

// Receives the display time of a frame in seconds; returns whether to continue.
typedef int (*kf_jxl_delay)(void *_Nonnull context, double seconds);

// Lists the frames of an animation whose header was read, without decoding any pixels.
kf_picture_status kf_jxl_read_delays(kf_picture *_Nonnull picture, kf_jxl_delay _Nonnull take,
                                     void *_Nonnull context);

// Decodes frame `index` of an animation as packed rows of the whole canvas. Sequential access is
// fastest. If the file ends within the frame, the pixels are coarse or unchanged.
kf_picture_status kf_jxl_read_frame(kf_picture *_Nonnull picture, int index,
                                    uint8_t *_Nonnull pixels, size_t count);

typedef struct kf_jxl_encoding {
    int width;
    int height;
    int has_alpha;  // four bytes per pixel, straight alpha; else three
    int is_lossless;
    float distance;  // 0…25 in just noticeable differences, for lossy encoding
} kf_jxl_encoding;

// Encodes packed rows. On success, `*bytes` comes from malloc and belongs to the caller.
kf_picture_status kf_jxl_encode(kf_jxl_encoding encoding, const uint8_t *_Nonnull pixels,
                                uint8_t *_Nullable *_Nonnull bytes, size_t *_Nonnull count);

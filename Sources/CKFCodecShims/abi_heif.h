#pragma once
// The part of libheif's interface that the shim uses, since 1.13, so that building needs none of its
// headers. Scripts/walls.sh also compiles the shim with those.
#ifdef KF_SYSTEM_HEADERS
#include <libheif/heif.h>
#else
#include <stddef.h>
#include <stdint.h>

enum heif_error_code {
    heif_error_Ok = 0,
    heif_error_Unsupported_filetype = 3,
    heif_error_Unsupported_feature = 4,
    heif_error_Memory_allocation_error = 6,
    heif_error_Plugin_loading_error = 11
};
enum heif_suberror_code { heif_suberror_End_of_data = 100 };
enum heif_color_profile_type {
    heif_color_profile_type_rICC = 0x72494343,
    heif_color_profile_type_prof = 0x70726F66
};
enum heif_colorspace { heif_colorspace_RGB = 1 };
enum heif_chroma { heif_chroma_interleaved_RGBA = 11, heif_chroma_interleaved_RRGGBBAA_LE = 15 };
enum heif_channel { heif_channel_interleaved = 10 };

struct heif_context;
struct heif_image_handle;
struct heif_image;
struct heif_reading_options;

struct heif_error {
    enum heif_error_code code;
    enum heif_suberror_code subcode;
    const char *message;
};

// The first fields; libheif allocates both structures.
struct heif_color_profile_nclx {
    uint8_t version;
    int color_primaries;
    int transfer_characteristics;
};
struct heif_decoding_options {
    uint8_t version;
    uint8_t ignore_transformations;
    void (*callbacks[3])(void);
    void *progress_user_data;
    uint8_t convert_hdr_to_8bit;
};

struct heif_context *heif_context_alloc(void);
void heif_context_free(struct heif_context *context);
void heif_context_set_maximum_image_size_limit(struct heif_context *context, int maximum_width);
void heif_context_set_max_decoding_threads(struct heif_context *context, int count);
struct heif_error heif_context_read_from_memory_without_copy(struct heif_context *context,
                                                             const void *bytes, size_t count,
                                                             const struct heif_reading_options *);
struct heif_error heif_context_get_primary_image_handle(struct heif_context *context,
                                                        struct heif_image_handle **handle);
void heif_image_handle_release(const struct heif_image_handle *handle);
int heif_image_handle_get_width(const struct heif_image_handle *handle);
int heif_image_handle_get_height(const struct heif_image_handle *handle);
int heif_image_handle_get_luma_bits_per_pixel(const struct heif_image_handle *handle);
int heif_image_handle_has_alpha_channel(const struct heif_image_handle *handle);
int heif_image_handle_is_premultiplied_alpha(const struct heif_image_handle *handle);
enum heif_color_profile_type heif_image_handle_get_color_profile_type(
    const struct heif_image_handle *handle);
size_t heif_image_handle_get_raw_color_profile_size(const struct heif_image_handle *handle);
struct heif_error heif_image_handle_get_raw_color_profile(const struct heif_image_handle *handle,
                                                          void *bytes);
struct heif_error heif_image_handle_get_nclx_color_profile(
    const struct heif_image_handle *handle, struct heif_color_profile_nclx **profile);
void heif_nclx_color_profile_free(struct heif_color_profile_nclx *profile);
struct heif_decoding_options *heif_decoding_options_alloc(void);
void heif_decoding_options_free(struct heif_decoding_options *options);
struct heif_error heif_decode_image(const struct heif_image_handle *handle,
                                    struct heif_image **image, enum heif_colorspace space,
                                    enum heif_chroma chroma,
                                    const struct heif_decoding_options *options);
void heif_image_release(const struct heif_image *image);
int heif_image_get_width(const struct heif_image *image, enum heif_channel channel);
int heif_image_get_height(const struct heif_image *image, enum heif_channel channel);
int heif_image_get_bits_per_pixel_range(const struct heif_image *image, enum heif_channel channel);
const uint8_t *heif_image_get_plane_readonly(const struct heif_image *image,
                                             enum heif_channel channel, int *stride);
#endif

#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(struct heif_error) == 16 && offsetof(struct heif_error, message) == 8, "");
_Static_assert(offsetof(struct heif_color_profile_nclx, color_primaries) == 4
                   && offsetof(struct heif_color_profile_nclx, transfer_characteristics) == 8,
               "");
_Static_assert(offsetof(struct heif_decoding_options, convert_hdr_to_8bit) == 40, "");
#endif
_Static_assert(heif_error_Unsupported_filetype == 3 && heif_error_Unsupported_feature == 4
                   && heif_error_Memory_allocation_error == 6
                   && heif_error_Plugin_loading_error == 11 && heif_suberror_End_of_data == 100
                   && heif_color_profile_type_rICC == 0x72494343
                   && heif_color_profile_type_prof == 0x70726F66 && heif_colorspace_RGB == 1
                   && heif_chroma_interleaved_RGBA == 11
                   && heif_chroma_interleaved_RRGGBBAA_LE == 15 && heif_channel_interleaved == 10,
               "");

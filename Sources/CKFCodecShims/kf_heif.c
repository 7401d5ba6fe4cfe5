#include "abi_heif.h"
#include "kf_imports.h"
#include "kf_picture_internal.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(DO) \
    DO(heif_context_alloc) \
    DO(heif_context_free) \
    DO(heif_context_get_primary_image_handle) \
    DO(heif_context_read_from_memory_without_copy) \
    DO(heif_context_set_max_decoding_threads) \
    DO(heif_context_set_maximum_image_size_limit) \
    DO(heif_decode_image) \
    DO(heif_decoding_options_alloc) \
    DO(heif_decoding_options_free) \
    DO(heif_image_get_bits_per_pixel_range) \
    DO(heif_image_get_height) \
    DO(heif_image_get_plane_readonly) \
    DO(heif_image_get_width) \
    DO(heif_image_handle_get_color_profile_type) \
    DO(heif_image_handle_get_height) \
    DO(heif_image_handle_get_luma_bits_per_pixel) \
    DO(heif_image_handle_get_nclx_color_profile) \
    DO(heif_image_handle_get_raw_color_profile) \
    DO(heif_image_handle_get_raw_color_profile_size) \
    DO(heif_image_handle_get_width) \
    DO(heif_image_handle_has_alpha_channel) \
    DO(heif_image_handle_is_premultiplied_alpha) \
    DO(heif_image_handle_release) \
    DO(heif_image_release) \
    DO(heif_nclx_color_profile_free)

static struct {
    FUNCTIONS(KF_FIELD)
} heif;

#define FILL(name) KF_FIND(heif, name)

// --- Functions that libheif and libde265 call ---

// libheif asks libde265 for one thread, without an option against it, and a worker process may start
// none. Without threads libde265 decodes on the one that calls it, for the whole process; 0 is no error.
static int start_no_threads(void *decoder, int count) {
    (void)decoder;
    (void)count;
    return 0;
}

// libde265 shows what its memory held before where a damaged image sets no pixels: other people's
// images, or anything else of the process. It gets zeros.
static int allocate_zeros(void **memory, size_t alignment, size_t count) {
    int error = posix_memalign(memory, alignment, count);
    if (error == 0) memset(*memory, 0, count);
    return error;
}

static void *allocate_more_zeros(size_t count) { return calloc(1, count); }

// Those of libde265, and of libheif or the plug-in of it that calls libde265.
static const kf_import imports[] = {
    {"heif", "de265_start_worker_threads", (void *)start_no_threads},
    {"de265", "posix_memalign", (void *)allocate_zeros},
    {"de265", "malloc", (void *)allocate_more_zeros},
};

// --- Loading ---

static int find_functions(void *library) {
    FUNCTIONS(FILL)
    // Loads the plug-ins, which decode, while files may be opened.
    struct heif_context *context = heif.heif_context_alloc();
    if (context == NULL) return 0;
    heif.heif_context_free(context);
    // Without its replacements libde265 is not used.
    return kf_imports_replace(imports, sizeof imports / sizeof *imports);
}

static int load(void) {
    static const char *const files[] = {"libheif.so.1", NULL};
    return kf_library_load(files, find_functions);
}

typedef struct heif_state {
    struct heif_context *context;
    struct heif_image_handle *handle;
} heif_state;

static kf_picture_status failure(kf_picture *picture, struct heif_error error) {
    kf_picture_status status = KF_PICTURE_CORRUPT;
    if (error.code == heif_error_Memory_allocation_error) status = KF_PICTURE_TOO_MUCH_MEMORY;
    if (error.code == heif_error_Unsupported_filetype
        || error.code == heif_error_Unsupported_feature
        || error.code == heif_error_Plugin_loading_error)
        status = KF_PICTURE_UNSUPPORTED;
    if (error.subcode == heif_suberror_End_of_data) status = KF_PICTURE_TRUNCATED;
    return kf_picture_fail(picture, status, error.message ? error.message : "no reason given");
}

static void read_colors(kf_picture *picture, const struct heif_image_handle *handle) {
    enum heif_color_profile_type type = heif.heif_image_handle_get_color_profile_type(handle);
    size_t count = heif.heif_image_handle_get_raw_color_profile_size(handle);
    if ((type == heif_color_profile_type_rICC || type == heif_color_profile_type_prof)
        && count > 0 && count <= (8 << 20)) {
        uint8_t *profile = malloc(count);
        if (profile != NULL
            && heif.heif_image_handle_get_raw_color_profile(handle, profile).code == heif_error_Ok) {
            kf_picture_keep_profile(picture, profile, count);
            picture->info.has_profile = 1;
        }
        free(profile);
    }
    struct heif_color_profile_nclx *points = NULL;
    if (heif.heif_image_handle_get_nclx_color_profile(handle, &points).code == heif_error_Ok) {
        picture->info.primaries = (int)points->color_primaries;
        picture->info.transfer = (int)points->transfer_characteristics;
    }
    // libheif returns an error for values that it does not know, but delivers them.
    if (points != NULL) heif.heif_nclx_color_profile_free(points);
}

static kf_picture_status read_header(kf_picture *picture) {
    heif_state *state = picture->state = calloc(1, sizeof *state);
    if (state == NULL) return KF_PICTURE_TOO_MUCH_MEMORY;
    state->context = heif.heif_context_alloc();
    if (state->context == NULL) return KF_PICTURE_TOO_MUCH_MEMORY;
    // Applies to tiles and to the whole image; our own check is stricter for the latter.
    heif.heif_context_set_maximum_image_size_limit(state->context, picture->max_side);
    // 0: decode on the caller's thread.
    heif.heif_context_set_max_decoding_threads(state->context, 0);
    struct heif_error error = heif.heif_context_read_from_memory_without_copy(
        state->context, picture->bytes, picture->count, NULL);
    if (error.code != heif_error_Ok) return failure(picture, error);
    error = heif.heif_context_get_primary_image_handle(state->context, &state->handle);
    if (error.code != heif_error_Ok) return failure(picture, error);
    // libheif applies rotations and mirrors itself; this is the resulting size, and the orientation
    // stays 1. So it does with the clean aperture (clap): with its option ignore_transformations the
    // caller would have to turn and to cut, in the order of the properties.
    picture->info.width = heif.heif_image_handle_get_width(state->handle);
    picture->info.height = heif.heif_image_handle_get_height(state->handle);
    int bits = heif.heif_image_handle_get_luma_bits_per_pixel(state->handle);
    picture->info.bits_per_channel = bits > 0 ? bits : 8;
    picture->info.is_deep = bits > 8 && bits <= 16;
    picture->info.has_alpha = heif.heif_image_handle_has_alpha_channel(state->handle);
    picture->info.is_premultiplied = heif.heif_image_handle_is_premultiplied_alpha(state->handle);
    // The planes of the codec, and the rows that are delivered.
    picture->info.working_bytes_per_pixel = picture->info.is_deep ? 16 : 8;
    read_colors(picture, state->handle);
    return KF_PICTURE_OK;
}

// Rows of little-endian numbers with the bits of the file, enlarged to 16 bits.
static kf_picture_status deliver_deep(kf_picture *picture, const uint8_t *pixels, int stride,
                                      kf_picture_row row, void *context) {
    size_t count = (size_t)picture->info.width * 4;
    int bits = picture->info.bits_per_channel;
    uint32_t most = (1u << bits) - 1;
    uint16_t *values = malloc(count * sizeof *values);
    if (values == NULL) return kf_picture_fail(picture, KF_PICTURE_TOO_MUCH_MEMORY, "no memory");
    for (int y = 0; y < picture->info.height; y++) {
        const uint8_t *source = pixels + (size_t)stride * (size_t)y;
        for (size_t i = 0; i < count; i++) {
            uint32_t value = source[i * 2] | (uint32_t)source[i * 2 + 1] << 8;
            values[i] = (uint16_t)(((value < most ? value : most) * 65535u + most / 2) / most);
        }
        row(context, values);
    }
    free(values);
    return KF_PICTURE_OK;
}

static kf_picture_status deliver(kf_picture *picture, const struct heif_image *image,
                                 kf_picture_row row, void *context) {
    // The bit stream has its own header, which may contradict the container.
    if (heif.heif_image_get_width(image, heif_channel_interleaved) != picture->info.width
        || heif.heif_image_get_height(image, heif_channel_interleaved) != picture->info.height)
        return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "a size that differs from the header");
    int stride = 0;
    const uint8_t *pixels =
        heif.heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride);
    if (pixels == NULL) return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "no pixels");
    if (picture->info.is_deep
        && heif.heif_image_get_bits_per_pixel_range(image, heif_channel_interleaved)
            != picture->info.bits_per_channel)
        return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "a depth that differs from the header");
    if (picture->info.is_deep) return deliver_deep(picture, pixels, stride, row, context);
    for (int y = 0; y < picture->info.height; y++)
        row(context, pixels + (size_t)stride * (size_t)y);
    return KF_PICTURE_OK;
}

static kf_picture_status read_rows(kf_picture *picture, int width, int height, kf_picture_row row,
                                   void *context) {
    (void)width;
    (void)height;
    heif_state *state = picture->state;
    if (state->handle == NULL)
        return kf_picture_fail(picture, KF_PICTURE_CORRUPT, "no header");
    if (kf_picture_raster_bytes(picture, picture->info.width, picture->info.height) == 0)
        return kf_picture_fail(picture, KF_PICTURE_TOO_MUCH_MEMORY, "no memory");
    struct heif_decoding_options *options = heif.heif_decoding_options_alloc();
    if (options == NULL) return KF_PICTURE_TOO_MUCH_MEMORY;
    options->convert_hdr_to_8bit = !picture->info.is_deep;
    struct heif_image *image = NULL;
    struct heif_error error = heif.heif_decode_image(
        state->handle, &image, heif_colorspace_RGB,
        picture->info.is_deep ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA,
        options);
    heif.heif_decoding_options_free(options);
    if (error.code != heif_error_Ok) return failure(picture, error);
    kf_picture_status status = deliver(picture, image, row, context);
    heif.heif_image_release(image);
    return status;
}

static void destroy(kf_picture *picture) {
    heif_state *state = picture->state;
    if (state->handle != NULL) heif.heif_image_handle_release(state->handle);
    if (state->context != NULL) heif.heif_context_free(state->context);
    free(state);
}

const kf_picture_functions kf_heif_functions = {load, read_header, read_rows, destroy};

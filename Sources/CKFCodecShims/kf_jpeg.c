#include "kf_jpeg_decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>

static kf_jpeg_status status_of(int code) {
    switch (code) {
    case JERR_NO_BACKING_STORE:
    case JERR_OUT_OF_MEMORY:
    case JERR_WIDTH_OVERFLOW:
        return KF_JPEG_TOO_MUCH_MEMORY;
    case JERR_INPUT_EOF:
        return KF_JPEG_TRUNCATED;
    default:
        return KF_JPEG_CORRUPT;
    }
}

static void fail(j_common_ptr common) {
    kf_jpeg_decoder *decoder = common->client_data;
    (*common->err->format_message)(common, decoder->message);
    decoder->status = status_of(common->err->msg_code);
    // An invalid end caused by the fake EOI is a truncation.
    if (decoder->status == KF_JPEG_CORRUPT && decoder->saw_end) decoder->status = KF_JPEG_TRUNCATED;
    longjmp(decoder->escape, 1);
}

static void note(j_common_ptr common, int level) {
    kf_jpeg_decoder *decoder = common->client_data;
    if (level < 0 && common->err->msg_code == JWRN_HIT_MARKER) decoder->lacks_bits = 1;
}

static void say_nothing(j_common_ptr common) { (void)common; }

static void init_source(j_decompress_ptr info) { (void)info; }
static void end_source(j_decompress_ptr info) { (void)info; }

static boolean fill(j_decompress_ptr info) {
    static const JOCTET end_of_image[] = {0xFF, JPEG_EOI};
    kf_jpeg_decoder *decoder = info->client_data;
    if (decoder->next_span < decoder->span_count) {
        const kf_jpeg_span *span = &decoder->spans[decoder->next_span++];
        info->src->next_input_byte = span->bytes;
        info->src->bytes_in_buffer = span->count;
        return TRUE;
    }
    decoder->saw_end = 1;
    // The decoder of arithmetic codes reads zeros after the end, and does not warn.
    if (info->arith_code) decoder->lacks_bits = 1;
    info->src->next_input_byte = end_of_image;
    info->src->bytes_in_buffer = sizeof end_of_image;
    return TRUE;
}

static void skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    if ((size_t)count > info->src->bytes_in_buffer) {
        (void)fill(info);
        return;
    }
    info->src->next_input_byte += count;
    info->src->bytes_in_buffer -= (size_t)count;
}

void kf_jpeg_check_scans(kf_jpeg_decoder *decoder) {
    if (decoder->info.input_scan_number <= decoder->max_scans) return;
    decoder->status = KF_JPEG_TOO_MANY_SCANS;
    snprintf(decoder->message, sizeof decoder->message, "more than %d scans", decoder->max_scans);
    longjmp(decoder->escape, 1);
}

static void check_scans(j_common_ptr common) { kf_jpeg_check_scans(common->client_data); }

kf_jpeg_decoder *kf_jpeg_decoder_make(struct jpeg_source_mgr source, size_t max_memory,
                                      int max_scans) {
    kf_jpeg_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->max_scans = max_scans;
    decoder->info.err = jpeg_std_error(&decoder->errors);
    decoder->info.client_data = decoder;
    decoder->errors.error_exit = fail;
    decoder->errors.emit_message = note;
    decoder->errors.output_message = say_nothing;
    if (setjmp(decoder->escape)) {
        kf_jpeg_decoder_destroy(decoder);
        return NULL;
    }
    jpeg_create_decompress(&decoder->info);
    decoder->info.client_data = decoder;
    decoder->info.mem->max_memory_to_use = (long)max_memory;
    decoder->source = source;
    decoder->info.src = &decoder->source;
    decoder->progress.progress_monitor = check_scans;
    decoder->info.progress = &decoder->progress;
    return decoder;
}

kf_jpeg_decoder *kf_jpeg_decoder_create(const uint8_t *bytes, size_t count, size_t max_memory,
                                        int max_scans) {
    struct jpeg_source_mgr source = {
        .next_input_byte = bytes,
        .bytes_in_buffer = count,
        .init_source = init_source,
        .fill_input_buffer = fill,
        .skip_input_data = skip,
        .resync_to_restart = jpeg_resync_to_restart,
        .term_source = end_source,
    };
    return kf_jpeg_decoder_make(source, max_memory, max_scans);
}

void kf_jpeg_decoder_destroy(kf_jpeg_decoder *decoder) {
    if (setjmp(decoder->escape) == 0) jpeg_destroy_decompress(&decoder->info);
    free(decoder);
}

void kf_jpeg_decoder_set_output(kf_jpeg_decoder *decoder, int numerator, kf_jpeg_layout layout) {
    decoder->info.scale_num = (unsigned)numerator;
    decoder->info.scale_denom = 8;
    decoder->info.out_color_space = layout == KF_JPEG_CMYK ? JCS_CMYK : JCS_EXT_RGBA;
}

kf_jpeg_status kf_jpeg_decoder_start(kf_jpeg_decoder *decoder, int numerator, kf_jpeg_layout layout,
                                     int is_lossless, int *width, int *height) {
    j_decompress_ptr info = &decoder->info;
    if (setjmp(decoder->escape)) return decoder->status;
    jpeg_read_header(info, TRUE);
    kf_jpeg_decoder_set_output(decoder, numerator, layout);
    // libjpeg converts no colours of a lossless file, and no grey either.
    if (is_lossless && info->num_components == 1) info->out_color_space = JCS_GRAYSCALE;
    decoder->has_many_scans = jpeg_has_multiple_scans(info);
    // The scans of a lossless file have no coefficients.
    if (!is_lossless) kf_jpeg_skip_scans(decoder);
    jpeg_start_decompress(info);
    kf_jpeg_prepare_samples(decoder, is_lossless);
    *width = (int)info->output_width;
    *height = (int)info->output_height;
    return KF_JPEG_OK;
}

kf_jpeg_status kf_jpeg_decoder_select(kf_jpeg_decoder *decoder, int first_column, int columns,
                                      int skipped_rows) {
    j_decompress_ptr info = &decoder->info;
    if (setjmp(decoder->escape)) return decoder->status;
    // The smooth enlargement of colours reads one sample beyond the selection, of at most four
    // pixels, and treats its edges as those of the image.
    int margin = 8;
    int end = first_column + columns + margin;
    if (end > (int)info->output_width) end = (int)info->output_width;
    JDIMENSION first = first_column > margin ? (JDIMENSION)(first_column - margin) : 0;
    JDIMENSION width = (JDIMENSION)end - first;
    if (width < info->output_width) {
        jpeg_crop_scanline(info, &first, &width);
        decoder->first_column = first;
    }
    if (skipped_rows > 0) {
        jpeg_skip_scanlines(info, (JDIMENSION)skipped_rows);
        if (!decoder->has_many_scans && decoder->lacks_bits) return KF_JPEG_TRUNCATED;
    }
    return KF_JPEG_OK;
}

kf_jpeg_status kf_jpeg_decoder_read_row(kf_jpeg_decoder *decoder, uint8_t *row) {
    if (setjmp(decoder->escape)) return decoder->status;
    if (!decoder->has_many_scans && decoder->lacks_bits) return KF_JPEG_TRUNCATED;
    JSAMPROW rows[1] = {row + decoder->first_column * 4};
    int count = decoder->samples != NULL ? kf_jpeg_read_samples(decoder, row)
                                         : (int)jpeg_read_scanlines(&decoder->info, rows, 1);
    if (count != 1) return KF_JPEG_TRUNCATED;
    return !decoder->has_many_scans && decoder->lacks_bits ? KF_JPEG_TRUNCATED : KF_JPEG_OK;
}

// Whether a scan of each component has begun and, in a progressive file, every bit of each coefficient was in one.
static int has_all_scans(const struct jpeg_decompress_struct *info) {
    for (int i = 0; i < info->num_components; i++) {
        // Copied when the first scan of the component begins.
        if (info->comp_info[i].quant_table == NULL) return 0;
        for (int k = 0; info->coef_bits != NULL && k < DCTSIZE2; k++)
            if (info->coef_bits[i][k] != 0) return 0;
    }
    return 1;
}

int kf_jpeg_decoder_lacks_scans(const kf_jpeg_decoder *decoder) {
    if (!decoder->has_many_scans) return 0;
    // Without the marker of the end alone nothing is missing.
    return decoder->lacks_bits || (decoder->saw_end && !has_all_scans(&decoder->info));
}

const char *kf_jpeg_message(const kf_jpeg_decoder *decoder) { return decoder->message; }

typedef struct kf_jpeg_encoder {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr target;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    kf_jpeg_status status;
    char *message;
    uint8_t *output;
    size_t capacity;
    uint8_t *row;
    kf_jpeg_row_source source;
    void *context;
} kf_jpeg_encoder;

static void fail_encoding(j_common_ptr common) {
    kf_jpeg_encoder *encoder = common->client_data;
    (*common->err->format_message)(common, encoder->message);
    encoder->status = status_of(common->err->msg_code);
    longjmp(encoder->escape, 1);
}

// jpeg_mem_dest reports its block only when the file is finished: after an earlier failure, the
// caller would hold a block that was freed when the output grew. The output is therefore managed
// here.
static boolean grow_output(j_compress_ptr info) {
    kf_jpeg_encoder *encoder = info->client_data;
    // 64 KiB: larger than most thumbnails. libjpeg calls this when the whole block is used.
    size_t used = encoder->capacity;
    size_t capacity = used == 0 ? 64 << 10 : used * 2;
    uint8_t *larger = realloc(encoder->output, capacity);
    // 10: the number that libjpeg's own destination reports.
    if (larger == NULL) ERREXIT1(info, JERR_OUT_OF_MEMORY, 10);
    encoder->output = larger;
    encoder->capacity = capacity;
    info->dest->next_output_byte = larger + used;
    info->dest->free_in_buffer = capacity - used;
    return TRUE;
}

static void init_target(j_compress_ptr info) { (void)grow_output(info); }
static void end_target(j_compress_ptr info) { (void)info; }

// Called for every row of pixels, and for every row of blocks of each scan.
static void check_cancelled(j_common_ptr common) {
    kf_jpeg_encoder *encoder = common->client_data;
    if (encoder->source(encoder->context, -1, encoder->row)) return;
    encoder->status = KF_JPEG_CANCELLED;
    longjmp(encoder->escape, 1);
}

static void write_picture(kf_jpeg_encoder *encoder, const kf_jpeg_encoding *encoding) {
    j_compress_ptr info = &encoder->info;
    jpeg_create_compress(info);
    info->client_data = encoder;
    encoder->progress.progress_monitor = check_cancelled;
    info->progress = &encoder->progress;
    encoder->target = (struct jpeg_destination_mgr){
        .init_destination = init_target,
        .empty_output_buffer = grow_output,
        .term_destination = end_target,
    };
    info->dest = &encoder->target;
    info->image_width = (JDIMENSION)encoding->width;
    info->image_height = (JDIMENSION)encoding->height;
    info->input_components = 4;
    info->in_color_space = JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    if (encoding->is_grey) jpeg_set_colorspace(info, JCS_GRAYSCALE);
    jpeg_set_quality(info, encoding->quality, TRUE);
    if (encoding->full_chroma && !encoding->is_grey) {
        info->comp_info[0].h_samp_factor = 1;
        info->comp_info[0].v_samp_factor = 1;
    }
    if (encoding->is_progressive) jpeg_simple_progression(info);
    jpeg_start_compress(info, TRUE);
    JSAMPROW rows[1] = {encoder->row};
    for (int row = 0; row < encoding->height; row++) {
        (void)encoder->source(encoder->context, row, encoder->row);
        jpeg_write_scanlines(info, rows, 1);
    }
    jpeg_finish_compress(info);
}

kf_jpeg_status kf_jpeg_encode(kf_jpeg_encoding encoding, kf_jpeg_row_source source, void *context,
                              uint8_t **bytes, size_t *count, char *message) {
    // On the heap: local variables of the setjmp frame are indeterminate after longjmp.
    kf_jpeg_encoder *encoder = calloc(1, sizeof *encoder);
    uint8_t *row = malloc((size_t)encoding.width * 4);
    if (encoder == NULL || row == NULL) {
        free(encoder);
        free(row);
        snprintf(message, JMSG_LENGTH_MAX, "no memory");
        return KF_JPEG_TOO_MUCH_MEMORY;
    }
    encoder->message = message;
    encoder->row = row;
    encoder->source = source;
    encoder->context = context;
    encoder->info.err = jpeg_std_error(&encoder->errors);
    encoder->info.client_data = encoder;
    encoder->errors.error_exit = fail_encoding;
    encoder->errors.output_message = say_nothing;
    if (setjmp(encoder->escape) == 0) {
        write_picture(encoder, &encoding);
        *count = encoder->capacity - encoder->target.free_in_buffer;
        // If shrinking fails, the original block is used.
        uint8_t *fitted = realloc(encoder->output, *count);
        *bytes = fitted != NULL ? fitted : encoder->output;
    } else {
        free(encoder->output);
    }
    kf_jpeg_status status = encoder->status;
    jpeg_destroy_compress(&encoder->info);
    free(encoder->row);
    free(encoder);
    return status;
}

#include "kf_jpeg_decoder.h"

// libjpeg's buffered-image mode: input and output alternate, and a source without bytes suspends
// libjpeg instead of simulating an end.

static void init_source(j_decompress_ptr info) { (void)info; }
static void end_source(j_decompress_ptr info) { (void)info; }

static boolean suspend(j_decompress_ptr info) {
    (void)info;
    return FALSE;
}

static void skip(j_decompress_ptr info, long count) {
    if (count <= 0) return;
    kf_jpeg_decoder *decoder = info->client_data;
    size_t there = info->src->bytes_in_buffer;
    size_t step = (size_t)count < there ? (size_t)count : there;
    info->src->next_input_byte += step;
    info->src->bytes_in_buffer -= step;
    decoder->unread = (size_t)count - step;
}

kf_jpeg_decoder *kf_jpeg_scans_create(size_t max_memory, int max_scans, int numerator,
                                      kf_jpeg_layout layout) {
    struct jpeg_source_mgr source = {
        .init_source = init_source,
        .fill_input_buffer = suspend,
        .skip_input_data = skip,
        .resync_to_restart = jpeg_resync_to_restart,
        .term_source = end_source,
    };
    kf_jpeg_decoder *decoder = kf_jpeg_decoder_make(source, max_memory, max_scans);
    if (decoder == NULL) return NULL;
    decoder->has_many_scans = 1;
    decoder->numerator = numerator;
    decoder->layout = layout;
    return decoder;
}

static void begin(kf_jpeg_decoder *decoder) {
    j_decompress_ptr info = &decoder->info;
    if (jpeg_read_header(info, TRUE) == JPEG_SUSPENDED) return;
    info->buffered_image = TRUE;
    kf_jpeg_decoder_set_output(decoder, decoder->numerator, decoder->layout);
    decoder->has_begun = jpeg_start_decompress(info);
}

static void take_in(kf_jpeg_decoder *decoder) {
    if (!decoder->has_begun) begin(decoder);
    if (!decoder->has_begun) return;
    int event;
    do {
        event = jpeg_consume_input(&decoder->info);
        kf_jpeg_check_scans(decoder);
    } while (event != JPEG_SUSPENDED && event != JPEG_REACHED_EOI);
}

kf_jpeg_status kf_jpeg_scans_feed(kf_jpeg_decoder *decoder, const uint8_t *bytes, size_t count,
                                  size_t *used) {
    size_t skipped = decoder->unread < count ? decoder->unread : count;
    decoder->unread -= skipped;
    decoder->source.next_input_byte = bytes + skipped;
    decoder->source.bytes_in_buffer = count - skipped;
    if (setjmp(decoder->escape)) return decoder->status;
    if (decoder->unread == 0) take_in(decoder);
    *used = count - decoder->source.bytes_in_buffer;
    decoder->source.next_input_byte = NULL;
    decoder->source.bytes_in_buffer = 0;
    return KF_JPEG_OK;
}

// A scan is complete when the next scan's header has arrived, because libjpeg reads that header
// before it ends an output pass.
int kf_jpeg_scans_completed(kf_jpeg_decoder *decoder) {
    if (!decoder->has_begun) return 0;
    return decoder->info.input_scan_number - !kf_jpeg_scans_ended(decoder);
}

int kf_jpeg_scans_ended(kf_jpeg_decoder *decoder) {
    return decoder->has_begun && jpeg_input_complete(&decoder->info);
}

kf_jpeg_status kf_jpeg_scans_start_output(kf_jpeg_decoder *decoder, int *width, int *height) {
    if (setjmp(decoder->escape)) return decoder->status;
    j_decompress_ptr info = &decoder->info;
    // False means that libjpeg waits for input, which it does only for incomplete scans.
    if (!jpeg_start_output(info, kf_jpeg_scans_completed(decoder))) return KF_JPEG_TRUNCATED;
    *width = (int)info->output_width;
    *height = (int)info->output_height;
    return KF_JPEG_OK;
}

kf_jpeg_status kf_jpeg_scans_finish_output(kf_jpeg_decoder *decoder) {
    if (setjmp(decoder->escape)) return decoder->status;
    return jpeg_finish_output(&decoder->info) ? KF_JPEG_OK : KF_JPEG_TRUNCATED;
}

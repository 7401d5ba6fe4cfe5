#include "kf_jpeg.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

typedef struct transcoder {
    struct jpeg_decompress_struct source;
    struct jpeg_compress_struct target;
    struct jpeg_error_mgr errors;
    struct jpeg_destination_mgr destination;
    struct jpeg_progress_mgr progress;
    jmp_buf escape;
    int max_scans;
    kf_jpeg_status status;
    char *message;
    uint8_t *output;
    size_t capacity;
} transcoder;

static kf_jpeg_status status_of(int code) {
    return code == JERR_NO_BACKING_STORE || code == JERR_OUT_OF_MEMORY ? KF_JPEG_TOO_MUCH_MEMORY
                                                                       : KF_JPEG_CORRUPT;
}

static void fail(j_common_ptr common) {
    transcoder *own = common->client_data;
    (*common->err->format_message)(common, own->message);
    own->status = status_of(common->err->msg_code);
    longjmp(own->escape, 1);
}

// Damage that libjpeg repairs would become part of the file.
static void warn(j_common_ptr common, int level) {
    if (level < 0) fail(common);
}

static void say_nothing(j_common_ptr common) { (void)common; }

static void check_scans(j_common_ptr common) {
    transcoder *own = common->client_data;
    if (!common->is_decompressor || own->source.input_scan_number <= own->max_scans) return;
    own->status = KF_JPEG_TOO_MANY_SCANS;
    snprintf(own->message, JMSG_LENGTH_MAX, "more than %d scans", own->max_scans);
    longjmp(own->escape, 1);
}

static boolean grow(j_compress_ptr info) {
    transcoder *own = info->client_data;
    size_t used = own->capacity;
    size_t capacity = used == 0 ? 64 << 10 : used * 2;
    uint8_t *larger = realloc(own->output, capacity);
    if (larger == NULL) ERREXIT1(info, JERR_OUT_OF_MEMORY, 10);
    own->output = larger;
    own->capacity = capacity;
    info->dest->next_output_byte = larger + used;
    info->dest->free_in_buffer = capacity - used;
    return TRUE;
}

static void begin(j_compress_ptr info) { (void)grow(info); }
static void end(j_compress_ptr info) { (void)info; }

static int is_written_by_library(j_compress_ptr info, jpeg_saved_marker_ptr segment) {
    return (info->write_JFIF_header && segment->marker == JPEG_APP0 && segment->data_length >= 5
            && memcmp(segment->data, "JFIF", 5) == 0)
        || (info->write_Adobe_marker && segment->marker == JPEG_APP0 + 14
            && segment->data_length >= 5 && memcmp(segment->data, "Adobe", 5) == 0);
}

static void copy(transcoder *own, const kf_jpeg_transcoding *options, const uint8_t *file,
                 size_t count) {
    j_decompress_ptr source = &own->source;
    j_compress_ptr target = &own->target;
    jpeg_create_decompress(source);
    jpeg_create_compress(target);
    source->client_data = target->client_data = own;
    source->progress = &own->progress;
    source->mem->max_memory_to_use = (long)options->max_memory;
    // libjpeg does not write to its input.
    jpeg_mem_src(source, (unsigned char *)(uintptr_t)file, count);
    jpeg_save_markers(source, JPEG_COM, 0xFFFF);
    for (int i = 0; i < 16; i++) jpeg_save_markers(source, JPEG_APP0 + i, 0xFFFF);
    jpeg_read_header(source, TRUE);
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(source);
    jpeg_copy_critical_parameters(source, target);
    target->optimize_coding = TRUE;
    target->arith_code = FALSE;
    if (options->is_progressive) {
        jpeg_simple_progression(target);
    } else {
        target->num_scans = 0;
        target->scan_info = NULL;
    }
    own->destination = (struct jpeg_destination_mgr){
        .init_destination = begin, .empty_output_buffer = grow, .term_destination = end};
    target->dest = &own->destination;
    jpeg_write_coefficients(target, coefficients);
    for (jpeg_saved_marker_ptr segment = source->marker_list; segment; segment = segment->next)
        if (!is_written_by_library(target, segment))
            jpeg_write_marker(target, segment->marker, segment->data, segment->data_length);
    jpeg_finish_compress(target);
    jpeg_finish_decompress(source);
}

kf_jpeg_status kf_jpeg_transcode(kf_jpeg_transcoding transcoding, const uint8_t *file,
                                 size_t file_count, uint8_t **bytes, size_t *count,
                                 char *message) {
    // On the heap: local variables of the setjmp frame are indeterminate after longjmp.
    transcoder *own = calloc(1, sizeof *own);
    if (own == NULL) {
        snprintf(message, JMSG_LENGTH_MAX, "no memory");
        return KF_JPEG_TOO_MUCH_MEMORY;
    }
    own->message = message;
    own->max_scans = transcoding.max_scans;
    own->source.err = own->target.err = jpeg_std_error(&own->errors);
    own->source.client_data = own->target.client_data = own;
    own->errors.error_exit = fail;
    own->errors.emit_message = warn;
    own->errors.output_message = say_nothing;
    own->progress.progress_monitor = check_scans;
    if (setjmp(own->escape) == 0) {
        copy(own, &transcoding, file, file_count);
        *count = own->capacity - own->destination.free_in_buffer;
        uint8_t *fitted = realloc(own->output, *count);
        *bytes = fitted != NULL ? fitted : own->output;
    } else {
        free(own->output);
    }
    kf_jpeg_status status = own->status;
    if (setjmp(own->escape) == 0) jpeg_destroy_compress(&own->target);
    if (setjmp(own->escape) == 0) jpeg_destroy_decompress(&own->source);
    free(own);
    return status;
}

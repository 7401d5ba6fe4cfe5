#include "kf_jpeg_decoder.h"

#include <string.h>

// At 1/8, the transform of a component of full resolution uses one coefficient of each block, the
// mean. Scans that hold only the others, which are most of a progressive file, are not handed to
// libjpeg.

enum { MARKER_RST0 = 0xD0, MARKER_SOI = 0xD8, MARKER_EOI = 0xD9, MARKER_SOS = 0xDA };

typedef struct walk {
    const uint8_t *at;
    const uint8_t *end;
} walk;

// Goes to the byte after the next marker, ignoring the escapes and restarts within a scan's data.
// Returns the code of the marker, or 0 if there is none.
static int next_marker(walk *walk) {
    while (walk->end - walk->at >= 2) {
        const uint8_t *mark = memchr(walk->at, 0xFF, (size_t)(walk->end - walk->at) - 1);
        if (mark == NULL) break;
        int code = mark[1];
        // FF may repeat as padding; FF 00 is a byte of data.
        walk->at = mark + (code == 0xFF ? 1 : 2);
        if (code != 0 && code != 0xFF && (code < MARKER_RST0 || code >= MARKER_SOI)) return code;
    }
    return 0;
}

// Goes to the end of the segment that follows a marker, and returns its start. Returns NULL if the
// marker has no segment, or the file ends within it.
static const uint8_t *take_segment(walk *walk, int marker, size_t *count) {
    const uint8_t *segment = walk->at;
    // Markers below C0 are reserved, or have no segment.
    if (marker < 0xC0 || marker == MARKER_SOI || walk->end - segment < 2) return NULL;
    *count = (size_t)(segment[0] << 8 | segment[1]);
    if (*count < 2 || *count > (size_t)(walk->end - segment)) return NULL;
    walk->at += *count;
    return segment;
}

static int uses_means_only(j_decompress_ptr info, int identifier) {
    for (int i = 0; i < info->num_components; i++) {
        const jpeg_component_info *component = &info->comp_info[i];
        if (component->component_id != identifier) continue;
#if JPEG_LIB_VERSION >= 70
        return component->DCT_h_scaled_size == 1 && component->DCT_v_scaled_size == 1;
#else
        return component->DCT_scaled_size == 1;
#endif
    }
    return 0;
}

// Whether the output uses the scan of this header: its length in two bytes, the number of components,
// for each its identifier and tables, the first coefficient, the last, and the bits.
static int is_used(j_decompress_ptr info, const uint8_t *header, size_t count) {
    int has_means = count != 8 || header[2] != 1 || header[5] == 0;
    return has_means || !uses_means_only(info, header[3]);
}

void kf_jpeg_skip_scans(kf_jpeg_decoder *decoder) {
    j_decompress_ptr info = &decoder->info;
    if (!info->progressive_mode) return;
    jpeg_calc_output_dimensions(info);
    walk walk = {info->src->next_input_byte, info->src->next_input_byte};
    walk.end += info->src->bytes_in_buffer;
    kf_jpeg_span *span = decoder->spans;
    span->bytes = walk.at;
    // libjpeg has read the header of the first scan.
    int scans = 1;
    // A file that ends early, is damaged or has too many scans is left to libjpeg.
    for (int marker = next_marker(&walk); marker != MARKER_EOI; marker = next_marker(&walk)) {
        const uint8_t *begin = walk.at - 2;
        size_t count;
        const uint8_t *segment = marker == 0 ? NULL : take_segment(&walk, marker, &count);
        if (segment == NULL) return;
        if (marker != MARKER_SOS) continue;
        if (++scans > decoder->max_scans || scans > KF_JPEG_MAX_SPANS) return;
        if (is_used(info, segment, count)) continue;
        if (next_marker(&walk) == 0) return;
        walk.at -= 2;
        span->count = (size_t)(begin - span->bytes);
        (++span)->bytes = walk.at;
    }
    if (span == decoder->spans) return;
    span->count = (size_t)(walk.end - span->bytes);
    info->src->bytes_in_buffer = decoder->spans[0].count;
    decoder->next_span = 1;
    decoder->span_count = (int)(span - decoder->spans) + 1;
    // libjpeg would take the missing coefficients for unknown ones, and smooth the means.
    info->do_block_smoothing = FALSE;
}

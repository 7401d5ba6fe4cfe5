// For RTLD_DEFAULT.
#define _GNU_SOURCE

#include "kf_jpeg_decoder.h"

#include <dlfcn.h>

#include <jerror.h>

// Rows of other than 8 bits a sample, and of lossless files.
//
// The functions are those of libjpeg-turbo 3. They are looked up at run time, because its structures
// are those of version 2, whose headers a program may be compiled with.

typedef JDIMENSION (*read_rows)(j_decompress_ptr, void *, JDIMENSION);

static read_rows find(int bits) {
    return (read_rows)dlsym(RTLD_DEFAULT,
                            bits > 12 ? "jpeg16_read_scanlines" : "jpeg12_read_scanlines");
}

int kf_jpeg_reads_deep(void) { return find(12) != NULL && find(16) != NULL; }

void kf_jpeg_prepare_samples(kf_jpeg_decoder *decoder, int is_lossless) {
    j_decompress_ptr info = &decoder->info;
    if (info->data_precision == 8 && info->output_components == 4) return;
    int bits = info->data_precision;
    int has_known_layout =
        info->output_components == 4 || (is_lossless && info->output_components == 1);
    // The library checks the rest; these are the bounds of the conversion.
    if (bits < 2 || bits > 16 || !has_known_layout || (bits > 8 && find(bits) == NULL))
        ERREXIT1(info, JERR_BAD_PRECISION, bits);
    size_t count = (size_t)info->output_width * (size_t)info->output_components;
    decoder->samples = (*info->mem->alloc_large)((j_common_ptr)info, JPOOL_IMAGE,
                                                 count * (bits > 8 ? 2 : 1));
}

int kf_jpeg_read_samples(kf_jpeg_decoder *decoder, uint8_t *row) {
    j_decompress_ptr info = &decoder->info;
    int bits = info->data_precision;
    void *rows[1] = {decoder->samples};
    JDIMENSION count = bits > 8 ? find(bits)(info, rows, 1)
                                : jpeg_read_scanlines(info, (JSAMPARRAY)rows, 1);
    if (count != 1) return 0;
    const uint8_t *bytes = decoder->samples;
    const uint16_t *words = decoder->samples;
    uint32_t most = (1U << bits) - 1;
    int is_grey = info->output_components == 1;
    int has_alpha = decoder->layout != KF_JPEG_CMYK;
    for (JDIMENSION x = 0; x < info->output_width; x++) {
        for (int channel = 0; channel < 4; channel++) {
            size_t place = is_grey ? x : (size_t)x * 4 + (size_t)channel;
            uint32_t value = bits > 8 ? words[place] : bytes[place];
            if (value > most) value = most;
            row[(size_t)x * 4 + (size_t)channel] = (uint8_t)((value * 255 + most / 2) / most);
        }
        if (has_alpha) row[(size_t)x * 4 + 3] = 255;
    }
    return 1;
}

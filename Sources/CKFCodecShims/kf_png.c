#include "kf_png.h"

#include "kf_png_rows.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>
#include <zlib.h>

struct kf_png_decoder {
    png_structp png;
    png_infop info;
    const uint8_t *next;
    size_t left;
    int saw_end;
    uint32_t height;
    int passes;
    // The offset of the pixels and what replaces them, if they are inflated without zlib.
    size_t rows_offset;
    kf_png_rows *rows;
    uint32_t rows_read;
    // Continues if the replacement fails.
    kf_png_decoder *substitute;
    const uint8_t *bytes;
    size_t count;
    uint32_t max_side;
    int keeps_depth;
    int ignores_transparency;
    char message[200];
};

static void fail(png_structp png, png_const_charp message) {
    kf_png_decoder *decoder = png_get_error_ptr(png);
    snprintf(decoder->message, sizeof decoder->message, "%s", message);
    png_longjmp(png, 1);
}

static void say_nothing(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
    kf_png_decoder *decoder = png_get_io_ptr(png);
    size_t place = decoder->count - decoder->left;
    if (decoder->rows_offset > 0 && place == decoder->rows_offset) {
        decoder->rows = kf_png_rows_create(decoder->bytes, decoder->count, place);
        decoder->rows_offset = 0;
    }
    if (decoder->rows != NULL) {
        if (!kf_png_rows_read(decoder->rows, target, count)) png_error(png, "irregular pixels");
        return;
    }
    if (count > decoder->left) {
        decoder->saw_end = 1;
        png_error(png, "the data ends early");
    }
    memcpy(target, decoder->next, count);
    decoder->next += count;
    decoder->left -= count;
}

static kf_png_status failure(const kf_png_decoder *decoder) {
    return decoder->saw_end ? KF_PNG_TRUNCATED : KF_PNG_CORRUPT;
}

// May fail by longjmp: libpng allocates the list of ignored chunks.
static void configure(kf_png_decoder *decoder, uint32_t max_side) {
    png_set_read_fn(decoder->png, decoder, read_bytes);
    png_set_user_limits(decoder->png, max_side, max_side);
    // libpng reads pixels in pieces of this many bytes; in a truncated file, the last incomplete
    // piece is lost.
    size_t piece = decoder->left / 64;
    png_set_compression_buffer_size(decoder->png, piece < 64 ? 64 : piece > 8192 ? 8192 : piece);
    // Profile and text chunks that inflate beyond this are ignored.
    png_set_chunk_malloc_max(decoder->png, 8 << 20);
    png_set_chunk_cache_max(decoder->png, 128);
    // Unused chunks, such as text and time, are neither kept nor inflated; those about colours are
    // read elsewhere, because libpng knows neither all of them nor their order of precedence.
    png_set_keep_unknown_chunks(decoder->png, PNG_HANDLE_CHUNK_NEVER, NULL, 0);
    static const png_byte ignored[] = "tEXt\0zTXt\0iTXt\0tIME\0hIST\0sPLT\0pCAL\0sCAL\0eXIf\0"
                                      "iCCP\0sRGB\0gAMA\0cHRM\0cICP";
    png_set_keep_unknown_chunks(decoder->png, PNG_HANDLE_CHUNK_NEVER, ignored, 14);
}

kf_png_decoder *kf_png_decoder_create(const uint8_t *bytes, size_t count, uint32_t max_side,
                                      kf_png_inflater inflater) {
    kf_png_decoder *decoder = calloc(1, sizeof *decoder);
    if (decoder == NULL) return NULL;
    decoder->bytes = decoder->next = bytes;
    decoder->count = decoder->left = count;
    decoder->max_side = max_side;
    if (inflater == KF_PNG_FASTEST) {
        kf_png_rows_prepare();
        decoder->rows_offset = kf_png_rows_offset(bytes, count);
    }
    decoder->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, decoder, fail, say_nothing);
    if (decoder->png == NULL) {
        free(decoder);
        return NULL;
    }
    decoder->info = png_create_info_struct(decoder->png);
    if (decoder->info == NULL) {
        kf_png_decoder_destroy(decoder);
        return NULL;
    }
    if (setjmp(png_jmpbuf(decoder->png))) {
        kf_png_decoder_destroy(decoder);
        return NULL;
    }
    configure(decoder, max_side);
    return decoder;
}

void kf_png_decoder_destroy(kf_png_decoder *decoder) {
    if (decoder->substitute != NULL) kf_png_decoder_destroy(decoder->substitute);
    kf_png_rows_destroy(decoder->rows);
    png_destroy_read_struct(&decoder->png, decoder->info ? &decoder->info : NULL, NULL);
    free(decoder);
}

void kf_png_decoder_keep_depth(kf_png_decoder *decoder) { decoder->keeps_depth = 1; }

void kf_png_decoder_ignore_transparency(kf_png_decoder *decoder) {
    decoder->ignores_transparency = 1;
}

static void ask_for_rgba(kf_png_decoder *decoder, kf_png_header *header) {
    png_structp png = decoder->png;
    png_infop info = decoder->info;
    int type = png_get_color_type(png, info);
    // A palette after the transparency cancels it: libpng keeps the flag, but no colours.
    int colors = 0;
    png_color_16p color = NULL;
    png_bytep alphas = NULL;
    int has_transparency = png_get_tRNS(png, info, &alphas, &colors, &color) != 0 && colors > 0;
    header->has_alpha = (type & PNG_COLOR_MASK_ALPHA) != 0 || has_transparency;

    png_set_expand(png);
    header->channel_bytes = decoder->keeps_depth && header->bits_per_channel == 16 ? 2 : 1;
    if (header->channel_bytes == 1) png_set_scale_16(png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    else png_set_swap(png);
#endif
    // An interlaced image is held as a whole, so it keeps its channels.
    if (!header->is_interlaced) {
        png_set_gray_to_rgb(png);
        if (!header->has_alpha) png_set_add_alpha(png, 0xFFFF, PNG_FILLER_AFTER);
    }
    decoder->passes = png_set_interlace_handling(png);
}

// The replaced pixels were checked, and their chunk has no checksum.
static void trust_pixels(kf_png_decoder *decoder) {
#ifdef PNG_IGNORE_ADLER32
    // Not in Debian 13's build of libpng.
    png_set_option(decoder->png, PNG_IGNORE_ADLER32, PNG_OPTION_ON);
#endif
    png_set_crc_action(decoder->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
    png_set_compression_buffer_size(decoder->png, 1 << 14);
}

kf_png_status kf_png_decoder_start(kf_png_decoder *decoder, kf_png_header *header) {
    png_structp png = decoder->png;
    *header = (kf_png_header){0};
    if (setjmp(png_jmpbuf(png))) return failure(decoder);
    if (decoder->ignores_transparency)
        png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, (png_const_bytep) "tRNS", 1);
    png_read_info(png, decoder->info);
    if (decoder->rows != NULL) trust_pixels(decoder);
    header->width = png_get_image_width(png, decoder->info);
    header->height = png_get_image_height(png, decoder->info);
    header->bits_per_channel = png_get_bit_depth(png, decoder->info);
    header->is_interlaced = png_get_interlace_type(png, decoder->info) != PNG_INTERLACE_NONE;
    decoder->height = header->height;
    ask_for_rgba(decoder, header);
    png_read_update_info(png, decoder->info);
    header->channels = png_get_channels(png, decoder->info);
    if (png_get_rowbytes(png, decoder->info)
            != (size_t)header->width * (size_t)header->channels * (size_t)header->channel_bytes
        || (!header->is_interlaced && header->channels != 4))
        png_error(png, "unexpected row layout");
    return KF_PNG_OK;
}

// Starts again with libpng alone, up to the row that could not be read. It decides about damage.
static kf_png_status start_again(kf_png_decoder *decoder, uint8_t *row) {
    kf_png_decoder *substitute = kf_png_decoder_create(
        decoder->bytes, decoder->count, decoder->max_side, KF_PNG_ZLIB);
    if (substitute == NULL) {
        snprintf(decoder->message, sizeof decoder->message, "no memory");
        return KF_PNG_CORRUPT;
    }
    decoder->substitute = substitute;
    substitute->keeps_depth = decoder->keeps_depth;
    substitute->ignores_transparency = decoder->ignores_transparency;
    kf_png_header header;
    kf_png_status status = kf_png_decoder_start(substitute, &header);
    for (uint32_t y = 0; y <= decoder->rows_read && status == KF_PNG_OK; y++)
        status = kf_png_decoder_read_row(substitute, row);
    return status;
}

kf_png_status kf_png_decoder_read_row(kf_png_decoder *decoder, uint8_t *row) {
    if (decoder->substitute != NULL) return kf_png_decoder_read_row(decoder->substitute, row);
    if (setjmp(png_jmpbuf(decoder->png)))
        return decoder->rows != NULL ? start_again(decoder, row) : failure(decoder);
    png_read_row(decoder->png, row, NULL);
    decoder->rows_read++;
    return KF_PNG_OK;
}

int kf_png_decoder_inflates_fast(const kf_png_decoder *decoder) {
    return decoder->rows != NULL && decoder->substitute == NULL;
}

kf_png_status kf_png_decoder_read_picture(kf_png_decoder *decoder, uint8_t *pixels,
                                          size_t bytes_per_row, uint32_t *rows) {
    *rows = 0;
    if (setjmp(png_jmpbuf(decoder->png))) return failure(decoder);
    for (int pass = 0; pass < decoder->passes; pass++) {
        // As display rows: each pass fills the blocks that later passes refine, so that a truncated
        // file is coarse instead of incomplete.
        for (uint32_t row = 0; row < decoder->height; row++) {
            png_read_row(decoder->png, NULL, pixels + row * bytes_per_row);
            if (pass == 0) *rows = row + 1;
        }
    }
    return KF_PNG_OK;
}

const char *kf_png_message(const kf_png_decoder *decoder) {
    return decoder->substitute != NULL ? decoder->substitute->message : decoder->message;
}

// --- Compression ---

// Larger blocks than by default: codes change little within a photograph.
static const int memory_level = 9;

size_t kf_deflate_runs_bound(size_t count) {
    // zlib's own conservative bound for any settings.
    return count + ((count + 7) >> 3) + ((count + 63) >> 6) + 11;
}

// The remaining count, limited to zlib's integer type.
static uInt step(size_t left) { return left < (1u << 30) ? (uInt)left : 1u << 30; }

size_t kf_deflate_runs(const uint8_t *bytes, size_t count, uint8_t *target, size_t room) {
    z_stream stream = {0};
    if (deflateInit2(&stream, 6, Z_DEFLATED, 15, memory_level, Z_RLE) != Z_OK) return 0;
    size_t taken = 0, written = 0;
    int result = Z_OK;
    while (result == Z_OK && written < room) {
        uInt input = step(count - taken), output = step(room - written);
        // zlib does not write to its input.
        stream.next_in = (Bytef *)(uintptr_t)(bytes + taken);
        stream.avail_in = input;
        stream.next_out = target + written;
        stream.avail_out = output;
        result = deflate(&stream, taken + input == count ? Z_FINISH : Z_NO_FLUSH);
        taken += input - stream.avail_in;
        written += output - stream.avail_out;
    }
    deflateEnd(&stream);
    return result == Z_STREAM_END ? written : 0;
}

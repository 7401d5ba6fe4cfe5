#include "kf_png_rows.h"

#include "kf_isal.h"
#include "kf_png_unfilter.h"

#include <stdlib.h>
#include <string.h>

static uint32_t number(const uint8_t *place) {
    return (uint32_t)place[0] << 24 | (uint32_t)place[1] << 16 | (uint32_t)place[2] << 8 | place[3];
}

// The length of the chunk at the offset with its frame, or 0 if it is not whole.
static size_t chunk_length(const uint8_t *bytes, size_t count, size_t offset) {
    if (offset > count || count - offset < 12) return 0;
    size_t length = (size_t)number(bytes + offset) + 12;
    return length <= count - offset ? length : 0;
}

static int has_pixels(const uint8_t *chunk) { return memcmp(chunk + 4, "IDAT", 4) == 0; }

size_t kf_png_rows_offset(const uint8_t *bytes, size_t count) {
    size_t offset = 8, length;
    while ((length = chunk_length(bytes, count, offset)) > 0) {
        if (has_pixels(bytes + offset)) return offset;
        offset += length;
    }
    return 0;
}

#ifdef KF_ISAL

enum {
    HEADER_COUNT = 33,
    // Rows are inflated in batches of about this many bytes.
    BATCH = 1 << 16,
    // The limit of a stored block.
    BLOCK = 65535,
    // ISA-L always has the history of 32 KiB; zlib only the one that the stream announces.
    WHOLE_WINDOW = 0x78,
};

struct kf_png_rows {
    const kf_isal *isal;
    struct inflate_state *state;
    const uint8_t *bytes;
    // The chunk to inflate next, and the end of the last.
    size_t next_chunk, end;
    size_t row_bytes, step, batch_rows;
    uint32_t rows_left;
    uint8_t *filtered, *above, *batch;
    // What libpng reads next, and the bytes of the batch and the block after it.
    const uint8_t *piece, *batch_place;
    size_t piece_left, batch_left, block_left;
    uint64_t stream_left;
    // The checksum of the rows so far: not every libpng can ignore it.
    uint32_t adler;
    int is_closed;
    uint8_t frame[16];
};

void kf_png_rows_prepare(void) { kf_isal_load(); }

// Finds the end of the chunks of pixels; 0 if one is not whole or has a wrong checksum.
static size_t pixels_end(const kf_isal *isal, const uint8_t *bytes, size_t count, size_t offset) {
    size_t end = offset, length;
    while ((length = chunk_length(bytes, count, end)) > 0 && has_pixels(bytes + end)) end += length;
    // A truncated file keeps the rows that libpng reads of it.
    if (length == 0) return 0;
    for (size_t place = offset; place < end; place += length) {
        length = (size_t)number(bytes + place) + 12;
        uint32_t found = isal->crc(0, bytes + place + 4, length - 8);
        if (found != number(bytes + place + length - 4)) return 0;
    }
    return end;
}

static int read_layout(kf_png_rows *rows, const uint8_t *bytes, size_t offset) {
    static const size_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    const uint8_t *header = bytes + 16;
    if (offset < HEADER_COUNT || memcmp(bytes + 12, "IHDR", 4) != 0) return 0;
    size_t depth = header[8], type = header[9];
    int is_interlaced = header[12] != 0;
    if (type > 6 || depth > 16 || is_interlaced) return 0;
    size_t bits = channels[type] * depth;
    rows->row_bytes = (number(header) * bits + 7) / 8;
    rows->step = bits < 8 ? 1 : bits / 8;
    rows->rows_left = number(header + 4);
    rows->adler = 1;
    return rows->row_bytes > 0 && rows->rows_left > 0;
}

// The length of the stream: a header, blocks with a header each, and a checksum.
static int frame_stream(kf_png_rows *rows) {
    rows->stream_left = (uint64_t)rows->rows_left * (rows->row_bytes + 1);
    uint64_t length = 2 + rows->stream_left + (rows->stream_left + BLOCK - 1) / BLOCK * 5 + 4;
    if (length > 0x7FFFFFFF) return 0;
    uint8_t frame[] = {length >> 24, length >> 16, length >> 8, length, 'I', 'D', 'A', 'T',
                       WHOLE_WINDOW, 1};
    memcpy(rows->frame, frame, sizeof frame);
    rows->piece = rows->frame;
    rows->piece_left = sizeof frame;
    return 1;
}

static int allocate(kf_png_rows *rows) {
    size_t stride = rows->row_bytes + 1, fitting = BATCH / stride;
    // Even, because rows are best unfiltered in pairs.
    rows->batch_rows = fitting < 2 ? 2 : fitting & ~(size_t)1;
    if (rows->batch_rows > rows->rows_left) rows->batch_rows = rows->rows_left;
    size_t room = rows->batch_rows * stride + KF_PNG_SLACK;
    rows->state = kf_isal_allocate();
    rows->filtered = calloc(1, room);
    rows->batch = calloc(1, room);
    rows->above = calloc(1, rows->row_bytes + KF_PNG_SLACK);
    if (!rows->state || !rows->filtered || !rows->batch || !rows->above) return 0;
    rows->isal->start(rows->state);
    rows->state->crc_flag = ISAL_ZLIB;
    rows->state->avail_in = 0;
    return 1;
}

// Whether the stream announces the whole window and no dictionary.
static int has_usual_header(const kf_png_rows *rows) {
    const uint8_t *chunk = rows->bytes + rows->next_chunk;
    return number(chunk) >= 2 && chunk[8] == WHOLE_WINDOW && (chunk[9] & 0x20) == 0;
}

kf_png_rows *kf_png_rows_create(const uint8_t *bytes, size_t count, size_t offset) {
    const kf_isal *isal = kf_isal_load();
    if (isal == NULL) return NULL;
    size_t end = pixels_end(isal, bytes, count, offset);
    kf_png_rows *rows = end == 0 ? NULL : calloc(1, sizeof *rows);
    if (rows == NULL) return NULL;
    rows->isal = isal;
    rows->bytes = bytes;
    rows->next_chunk = offset;
    rows->end = end;
    if (has_usual_header(rows) && read_layout(rows, bytes, offset) && frame_stream(rows)
        && allocate(rows))
        return rows;
    kf_png_rows_destroy(rows);
    return NULL;
}

void kf_png_rows_destroy(kf_png_rows *rows) {
    if (rows == NULL) return;
    free(rows->state);
    free(rows->filtered);
    free(rows->batch);
    free(rows->above);
    free(rows);
}

// Inflates until `room` bytes have come or the stream ends; returns their number, or −1 if the
// stream is damaged.
static int64_t inflate_bytes(kf_png_rows *rows, uint8_t *target, uint32_t room) {
    struct inflate_state *state = rows->state;
    state->next_out = target;
    state->avail_out = room;
    while (state->avail_out > 0 && state->block_state != ISAL_BLOCK_FINISH) {
        if (state->avail_in == 0 && rows->next_chunk < rows->end) {
            const uint8_t *chunk = rows->bytes + rows->next_chunk;
            // ISA-L does not write to its input.
            state->next_in = (uint8_t *)(uintptr_t)(chunk + 8);
            state->avail_in = number(chunk);
            rows->next_chunk += (size_t)state->avail_in + 12;
        }
        uint32_t in = state->avail_in, out = state->avail_out;
        if (rows->isal->inflate(state) < 0) return -1;
        int has_moved = state->avail_in < in || state->avail_out < out;
        // Without progress, further bytes are needed, which only the next chunk can have.
        if (!has_moved && (state->avail_in > 0 || rows->next_chunk == rows->end)) break;
    }
    return (int64_t)room - state->avail_out;
}

// Whether the stream ends here, and with the right checksum.
static int ends_properly(kf_png_rows *rows) {
    uint8_t excess;
    return inflate_bytes(rows, &excess, 1) == 0 && rows->state->block_state == ISAL_BLOCK_FINISH;
}

static int fill_batch(kf_png_rows *rows) {
    size_t stride = rows->row_bytes + 1;
    size_t count = rows->batch_rows < rows->rows_left ? rows->batch_rows : rows->rows_left;
    // Below 2³¹, like the whole stream.
    uint32_t room = (uint32_t)(count * stride);
    if (count == 0 || inflate_bytes(rows, rows->filtered, room) != room) return 0;
    rows->rows_left -= (uint32_t)count;
    if (rows->rows_left == 0 && !ends_properly(rows)) return 0;
    if (!kf_png_unfilter(rows->filtered, rows->above, rows->batch, count, rows->row_bytes,
                         rows->step))
        return 0;
    memcpy(rows->above, rows->batch + (count - 1) * stride + 1, rows->row_bytes);
    rows->batch_place = rows->batch;
    rows->batch_left = count * stride;
    rows->adler = rows->isal->adler(rows->adler, rows->batch, rows->batch_left);
    return 1;
}

static void set_frame(kf_png_rows *rows, const uint8_t *bytes, size_t count) {
    memcpy(rows->frame, bytes, count);
    rows->piece = rows->frame;
    rows->piece_left = count;
}

static int take_from_batch(kf_png_rows *rows) {
    if (rows->batch_left == 0 && !fill_batch(rows)) return 0;
    size_t count = rows->block_left < rows->batch_left ? rows->block_left : rows->batch_left;
    rows->piece = rows->batch_place;
    rows->piece_left = count;
    rows->batch_place += count;
    rows->batch_left -= count;
    rows->block_left -= count;
    rows->stream_left -= count;
    return 1;
}

// Prepares the next piece: some rows, the header of a block, or at the end the two checksums.
static int next_piece(kf_png_rows *rows) {
    if (rows->block_left > 0) return take_from_batch(rows);
    if (rows->stream_left > 0) {
        uint32_t count = rows->stream_left < BLOCK ? (uint32_t)rows->stream_left : BLOCK;
        uint8_t header[] = {count == rows->stream_left, count, count >> 8, ~count, ~count >> 8};
        rows->block_left = count;
        set_frame(rows, header, sizeof header);
        return 1;
    }
    if (rows->is_closed) return 0;
    uint32_t adler = rows->adler;
    // The second one, of the chunk, is not compared.
    uint8_t checksums[8] = {adler >> 24, adler >> 16, adler >> 8, adler};
    rows->is_closed = 1;
    set_frame(rows, checksums, sizeof checksums);
    return 1;
}

int kf_png_rows_read(kf_png_rows *rows, uint8_t *target, size_t count) {
    while (count > 0) {
        if (rows->piece_left == 0 && !next_piece(rows)) return 0;
        size_t part = count < rows->piece_left ? count : rows->piece_left;
        memcpy(target, rows->piece, part);
        rows->piece += part;
        rows->piece_left -= part;
        target += part;
        count -= part;
    }
    return 1;
}

#else

void kf_png_rows_prepare(void) {}

kf_png_rows *kf_png_rows_create(const uint8_t *bytes, size_t count, size_t offset) {
    (void)bytes;
    (void)count;
    (void)offset;
    return NULL;
}

void kf_png_rows_destroy(kf_png_rows *rows) { (void)rows; }

int kf_png_rows_read(kf_png_rows *rows, uint8_t *target, size_t count) {
    (void)rows;
    (void)target;
    (void)count;
    return 0;
}

#endif

#define _GNU_SOURCE
#include "kf_video_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { WINDOW = 8 << 20 };

int kf_video_copy_ranges(kf_video_source *source) {
    if (source->ranges == NULL) return 1;
    // Not NULL if there are none.
    size_t size = (source->range_count + 1) * sizeof *source->ranges;
    kf_video_range *copy = malloc(size);
    if (copy != NULL) memcpy(copy, source->ranges, size - sizeof *copy);
    source->ranges = copy;
    return copy != NULL;
}

static void unmap(kf_video *video) {
    if (video->source.bytes != NULL || video->window == NULL) return;
    munmap((void *)video->window, (size_t)video->window_length);
    video->window = NULL;
}

static int map(kf_video *video) {
    unmap(video);
    int64_t start = video->position / (64 << 10) * (64 << 10);
    int64_t rest = video->source.size - start;
    video->window_length = rest < WINDOW ? rest : WINDOW;
    void *window = mmap(NULL, (size_t)video->window_length, PROT_READ, MAP_PRIVATE,
                        video->source.descriptor, start);
    if (window == MAP_FAILED) return 0;
    video->window = window;
    video->window_start = start;
    return 1;
}

// How many bytes are there from the position on.
static int64_t present(const kf_video *video) {
    const kf_video_source *source = &video->source;
    if (source->ranges == NULL) return source->size - video->position;
    for (size_t index = 0; index < source->range_count; index++) {
        const kf_video_range *range = &source->ranges[index];
        if (range->start <= video->position && video->position < range->end)
            return range->end - video->position;
    }
    return 0;
}

int kf_video_read_bytes(void *context, uint8_t *bytes, int count) {
    kf_video *video = context;
    if (count <= 0 || video->position >= video->source.size) return AVERROR_EOF;
    int64_t there = present(video);
    if (there <= 0 && video->missing < 0) video->missing = video->position;
    // Bytes after a gap are not read either: libavformat would take them for those in the gap.
    if (video->missing >= 0) return AVERROR(EIO);
    if (count > there) count = (int)there;
    int64_t offset = video->position - video->window_start;
    if (video->window == NULL || offset < 0 || offset >= video->window_length) {
        if (!map(video)) return AVERROR(ENOMEM);
        offset = video->position - video->window_start;
    }
    if (count > video->window_length - offset) count = (int)(video->window_length - offset);
    memcpy(bytes, video->window + offset, (size_t)count);
    video->position += count;
    return count;
}

int64_t kf_video_seek_bytes(void *context, int64_t offset, int whence) {
    kf_video *video = context;
    if (whence & AVSEEK_SIZE) return video->source.size;
    int64_t base;
    switch (whence & ~AVSEEK_FORCE) {
    case SEEK_SET: base = 0; break;
    case SEEK_CUR: base = video->position; break;
    case SEEK_END: base = video->source.size; break;
    default: return AVERROR(EINVAL);
    }
    int64_t target;
    if (__builtin_add_overflow(base, offset, &target) || target < 0) return AVERROR(EINVAL);
    video->position = target;
    return target;
}

void kf_video_end_reading(kf_video *video) {
    unmap(video);
    free((void *)video->source.ranges);
}

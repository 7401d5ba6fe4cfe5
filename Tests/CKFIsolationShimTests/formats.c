// Decodes files of the formats whose libraries are loaded when they are needed, draws PDF pages, and
// decodes frames of videos, with the system calls that a worker process is allowed. Fails if one is missing, if no file
// could be decoded, or if a still image or a page looks otherwise than without walls.
//
//     formats [--any-pixels] FILE...
#define _GNU_SOURCE
#include "CKFIsolationShim.h"
#include "kf_drawing.h"
#include "kf_fonts.h"
#include "kf_pdf.h"
#include "kf_picture.h"
#include "kf_video.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// The kinds of PDF documents and of videos.
enum { DOCUMENT = KF_PICTURE_SVG + 1, MP4, STREAM, WEBM };

enum { DECODED = 0, REFUSED = 1, NO_WALLS = 2, MAX_FILE = 4 << 20 };

// FNV-1a of all pixels.
static uint64_t digest = 14695981039346656037u;

static void add_to_digest(const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        digest = (digest ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

static void take(void *row_bytes, const void *row) { add_to_digest(row, *(size_t *)row_bytes); }

static int draw(const uint8_t *bytes, size_t count) {
    kf_pdf *document;
    double width = 0, height = 0;
    if (kf_pdf_open(bytes, count, "reader", &document) != KF_PDF_OK) return REFUSED;
    int drawn = 0, pages = kf_pdf_page_count(document);
    for (int index = 0; index < pages; index++) {
        if (kf_pdf_page_size(document, index, &width, &height) != KF_PDF_OK) continue;
        uint8_t *pixels = malloc((size_t)width * (size_t)height * 4);
        if (pixels != NULL
            && kf_pdf_render(document, index, 1, 1, 1, pixels, (int)width, (int)height)
                == KF_PDF_OK) {
            drawn++;
            add_to_digest(pixels, (size_t)width * (size_t)height * 4);
        }
        free(pixels);
    }
    kf_pdf_close(document);
    return drawn == pages ? DECODED : REFUSED;
}

static int show(const char *container, const uint8_t *bytes, size_t count) {
    kf_video *video;
    kf_video_source source = {.bytes = bytes, .descriptor = -1, .size = (int64_t)count};
    int64_t missing;
    if (kf_video_open(source, container, &video, &missing) != KF_VIDEO_OK) return REFUSED;
    int shown = 0;
    for (int is_key = 0; is_key <= 1; is_key++) {
        kf_video_frame frame;
        if (kf_video_seek(video, 1, is_key, &frame) != KF_VIDEO_OK) continue;
        size_t row_bytes = ((size_t)frame.width * 8 + 63) / 64 * 64;
        void *pixels = malloc(row_bytes * (size_t)frame.height + 64);
        shown += pixels != NULL
            && kf_video_pixels(video, pixels, row_bytes, frame.width, frame.height, is_key)
                == KF_VIDEO_OK;
        free(pixels);
    }
    kf_video_close(video);
    return shown == 2 ? DECODED : REFUSED;
}

static int decode(int kind, const uint8_t *bytes, size_t count) {
    switch (kind) {
    case DOCUMENT: return draw(bytes, count);
    case MP4: return show("mov", bytes, count);
    case STREAM: return show("mpegts", bytes, count);
    case WEBM: return show("matroska", bytes, count);
    default: break;
    }
    kf_picture *picture = kf_picture_create((kf_picture_kind)kind, bytes, count, 256 << 20, 65535);
    if (picture == NULL) return REFUSED;
    kf_picture_info info;
    kf_picture_status status = kf_picture_read_header(picture, &info);
    size_t row_bytes = (size_t)info.width * (info.is_deep ? 8 : 4);
    if (status == KF_PICTURE_OK)
        status = kf_picture_read_rows(picture, info.width, info.height, take, &row_bytes);
    kf_picture_destroy(picture);
    return status == KF_PICTURE_OK ? DECODED : REFUSED;
}

static int compare(const void *one, const void *other) { return memcmp(one, other, 1); }

static void load(int kind) {
    if (kind == DOCUMENT) kf_pdf_load();
    else if (kind > DOCUMENT) kf_video_load();
    else kf_picture_load((kf_picture_kind)kind);
}

// As IsolatedWorker.swift does.
static void rehearse(int kind) {
    char bytes[4096] = {0};
    qsort(bytes, sizeof bytes, 1, compare);
    if (kind == KF_PICTURE_SVG) kf_drawing_prepare();
    if (kind != DOCUMENT) return;
    kf_fonts_prepare();
    static const char page[] =
        "%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 1 1]>>endobj\ntrailer<</Root 1 0 R>>";
    draw((const uint8_t *)page, sizeof page - 1);
}

static int enter(int kind) {
    struct kf_walls_result walls = kf_worker_enter((struct kf_walls){
        .memory = 2ull << 30,
        .private_memory = 1ull << 30,
        .cpu_seconds = 60,
        .refuses_files = kind >= KF_PICTURE_SVG,
        .start_threads = kind == KF_PICTURE_SVG ? kf_drawing_start_threads : NULL,
    });
    if (walls.failed_step != NULL)
        fprintf(stderr, "%s failed, error %d\n", walls.failed_step, walls.error);
    return walls.failed_step == NULL;
}

static int kind_of(const char *path) {
    const char *dot = strrchr(path, '.');
    const char *names[] = {[KF_PICTURE_JXL] = ".jxl", [KF_PICTURE_HEIF] = ".heic",
                           [KF_PICTURE_TIFF] = ".tiff", [KF_PICTURE_SVG] = ".svg",
                           [DOCUMENT] = ".pdf", [MP4] = ".mp4", [STREAM] = ".ts",
                           [WEBM] = ".webm"};
    for (int kind = KF_PICTURE_JXL; dot != NULL && kind <= WEBM; kind++)
        if (names[kind] != NULL && strcmp(dot, names[kind]) == 0) return kind;
    return -1;
}

// What a child sends: the pixels, or the call that its walls forbid.
struct answer {
    int status;
    uint64_t pixels;
};

static struct answer answer_of(const char *path, int has_walls, int socket) {
    static uint8_t bytes[MAX_FILE];
    FILE *file = fopen(path, "rb");
    if (file == NULL) return (struct answer){NO_WALLS, 0};
    size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    dup2(socket, KF_WORKER_SOCKET);
    int kind = kind_of(path);
    load(kind);
    if (has_walls) {
        rehearse(kind);
        digest = 14695981039346656037u;
        if (!enter(kind)) return (struct answer){NO_WALLS, 0};
    }
    int status = decode(kind, bytes, count);
    return (struct answer){status, digest};
}

// The pixels of a file; a fault is reported, and the result is 0.
static int read_file(const char *path, int has_walls, struct answer *answer) {
    int pair[2], status = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) != 0) return 0;
    pid_t child = fork();
    if (child == 0) {
        struct answer made = answer_of(path, has_walls, pair[1]);
        struct iovec part = {.iov_base = &made, .iov_len = sizeof made};
        sendmsg(KF_WORKER_SOCKET, &(struct msghdr){.msg_iov = &part, .msg_iovlen = 1}, 0);
        _exit(0);
    }
    close(pair[1]);
    union {
        struct answer answer;
        struct kf_forbidden_call call;
    } message = {0};
    ssize_t length = recv(pair[0], &message, sizeof message, 0);
    close(pair[0]);
    if (child < 0 || waitpid(child, &status, 0) < 0) return 0;
    if (length == sizeof message.call && message.call.magic == KF_FORBIDDEN_MAGIC) {
        fprintf(stderr, "error: %s needs the system call %d\n", path, message.call.number);
        return 0;
    }
    if (length != sizeof message.answer || message.answer.status == NO_WALLS) {
        fprintf(stderr, "error: %s ended with status %d\n", path, status);
        return 0;
    }
    *answer = message.answer;
    return 1;
}

static int is_without_fault(const char *path, int any_pixels, int *decoded) {
    struct answer apart, here;
    if (!read_file(path, 1, &apart)) return 0;
    if (apart.status != DECODED) {
        fprintf(stderr, "%s was not decoded\n", path);
        return 1;
    }
    *decoded += 1;
    if (any_pixels || !read_file(path, 0, &here) || here.status != DECODED || here.pixels == apart.pixels)
        return 1;
    fprintf(stderr, "error: %s looks otherwise behind walls\n", path);
    return 0;
}

int main(int count, char **paths) {
    int faults = 0, decoded = 0;
    int any_pixels = count > 1 && strcmp(paths[1], "--any-pixels") == 0;
    for (int index = 1; index < count; index++)
        if (kind_of(paths[index]) >= 0 && !is_without_fault(paths[index], any_pixels, &decoded))
            faults++;
    printf("%d files were decoded behind walls, %d with a fault\n", decoded, faults);
    return faults == 0 && decoded > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// Draws libFuzzer's bytes as SVG, each in a process behind the walls of a worker. The library may end that process; a system
// call that is missing, and more time than a worker has, are faults.
#define _GNU_SOURCE
#include "CKFIsolationShim.h"
#include "kf_drawing.h"
#include "kf_picture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 5 };

static void ignore(void *context, const void *row) {
    (void)context;
    (void)row;
}

static void draw(const uint8_t *bytes, size_t count) {
    kf_picture *picture = kf_picture_create(KF_PICTURE_SVG, bytes, count, 64 << 20, 8192);
    if (picture == NULL) return;
    kf_picture_info info;
    if (kf_picture_read_header(picture, &info) == KF_PICTURE_OK)
        kf_picture_read_rows(picture, info.width < 1000 ? info.width : 1000,
                             info.height < 1000 ? info.height : 1000, ignore, &info);
    kf_picture_destroy(picture);
}

static int is_ready(void) {
    if (!kf_picture_load(KF_PICTURE_SVG)) return 0;
    kf_drawing_prepare();
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
    static int ready = -1;
    if (ready < 0) ready = is_ready();
    int pair[2], status = 0;
    if (!ready || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) abort();
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        // libFuzzer's own handlers would report what the library does.
        for (int signal = 1; signal < NSIG; signal++) (void)sigaction(signal, &(struct sigaction){0}, NULL);
        dup2(pair[1], KF_WORKER_SOCKET);
        struct kf_walls_result walls = kf_worker_enter((struct kf_walls){
            .memory = 2ull << 30,
            .private_memory = 1152ull << 20,
            .cpu_seconds = SECONDS,
            .refuses_files = 1,
            .start_threads = kf_drawing_start_threads,
        });
        if (walls.failed_step != NULL) _exit(1);
        draw(bytes, count);
        _exit(0);
    }
    close(pair[1]);
    struct kf_forbidden_call call = {0};
    ssize_t length = recv(pair[0], &call, sizeof call, 0);
    close(pair[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (length == sizeof call && call.magic == KF_FORBIDDEN_MAGIC) {
        fprintf(stderr, "ERROR: the system call %d is missing\n", call.number);
        abort();
    }
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU)) {
        fprintf(stderr, "ERROR: a drawing takes more than %d s\n", SECONDS);
        abort();
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1) {
        fprintf(stderr, "ERROR: no walls\n");
        abort();
    }
    return 0;
}

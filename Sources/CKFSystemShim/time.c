#define _GNU_SOURCE
#include "CKFSystemShim.h"

#include <poll.h>
#include <sys/stat.h>
#include <time.h>

// Unsigned, because a hostile date may overflow; it only needs to be the same the next time.
static int64_t nanoseconds(struct timespec time) {
    return (int64_t)((uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec);
}

int64_t kf_clock_nanoseconds(int clock) {
    struct timespec time = {0};
    clock_gettime((clockid_t)clock, &time);
    return nanoseconds(time);
}

int64_t kf_modified_nanoseconds(const void *status) {
    return nanoseconds(((const struct stat *)status)->st_mtim);
}

void kf_pause(int64_t nanoseconds) {
    if (nanoseconds <= 0) return;
    struct timespec time = {
        .tv_sec = (time_t)(nanoseconds / 1000000000),
        .tv_nsec = (long)(nanoseconds % 1000000000),
    };
    (void)ppoll(NULL, 0, &time, NULL);
}

#include "CKFSystemShim.h"

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

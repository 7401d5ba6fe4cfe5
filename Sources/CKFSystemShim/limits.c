#define _GNU_SOURCE
#include "CKFSystemShim.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

void kf_descriptors_raise(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    // Refused where a filter forbids it; the soft limit then stays.
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

uint64_t kf_stacks_raise(size_t stack) {
    pthread_attr_t attributes;
    size_t usual = 0;
    if (pthread_attr_init(&attributes) == 0) {
        // glibc takes the default from the limit that the program was started with.
        if (pthread_attr_getstacksize(&attributes, &usual) == 0 && usual < stack
            && pthread_attr_setstacksize(&attributes, stack) == 0)
            (void)pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    rlim_t wanted = 8 << 20;
    if (limit.rlim_cur < wanted && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
        // The stack grows up to the limit of the moment.
        (void)setrlimit(RLIMIT_STACK, &limit);
        (void)getrlimit(RLIMIT_STACK, &limit);
    }
    return limit.rlim_cur;
}

void kf_file_size_report(void) { (void)signal(SIGXFSZ, SIG_IGN); }

int kf_descriptors_free(int most) {
    int *opened = calloc((size_t)most, sizeof *opened);
    if (opened == NULL) return 0;
    int count = 0;
    while (count < most) {
        int descriptor = eventfd(0, EFD_CLOEXEC);
        if (descriptor < 0) break;
        opened[count++] = descriptor;
    }
    for (int index = 0; index < count; index++) close(opened[index]);
    free(opened);
    return count;
}

uint64_t kf_address_space_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    return limit.rlim_cur;
}

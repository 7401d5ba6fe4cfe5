// Swift's overlay of the C library has no pthread_setname_np, and its pthread_t differs between
// libraries.
#define _GNU_SOURCE
#include "CKFSystemShim.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct work {
    void (*body)(void *);
    void *context;
    char name[16];
};

static void *run(void *pointer) {
    struct work work = *(struct work *)pointer;
    free(pointer);
    // Only fails for names that are too long.
    (void)pthread_setname_np(pthread_self(), work.name);
    work.body(work.context);
    return NULL;
}

int kf_thread_start(const char *name, size_t stack, void (*body)(void *), void *context) {
    struct work *work = calloc(1, sizeof *work);
    if (work == NULL) return ENOMEM;
    work->body = body;
    work->context = context;
    strncpy(work->name, name, sizeof work->name - 1);
    pthread_attr_t attributes;
    int error = pthread_attr_init(&attributes);
    if (error != 0) {
        free(work);
        return error;
    }
    // Both only fail for values that the system does not know; its defaults work as well.
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, stack);
    pthread_t thread;
    error = pthread_create(&thread, &attributes, run, work);
    pthread_attr_destroy(&attributes);
    if (error != 0) free(work);
    return error;
}

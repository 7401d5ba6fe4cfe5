// Swift's overlay of the C library has no pthread_setname_np, and its pthread_t differs between
// libraries.
#define _GNU_SOURCE
#include "CKFSystemShim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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

// Whether a line of /proc/self/task/*/syscall, which begins with the number of the call that the
// thread waits in, names one that sleeps.
static int is_sleep(const char *line) {
    char *end;
    long call = strtol(line, &end, 10);
    if (end == line) return 0;
#ifdef SYS_nanosleep
    if (call == SYS_nanosleep) return 1;
#endif
    return call == SYS_clock_nanosleep;
}

int kf_threads_asleep(int *threads, int most) {
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) return 0;
    int count = 0;
    struct dirent *task;
    while (count < most && (task = readdir(tasks)) != NULL) {
        int number = atoi(task->d_name);
        if (number <= 0) continue;
        char path[64] = "", line[128] = "";
        strncat(path, task->d_name, 16);
        strcat(path, "/syscall");
        int file = openat(dirfd(tasks), path, O_RDONLY | O_CLOEXEC);
        if (file < 0) continue;
        if (read(file, line, sizeof line - 1) > 0 && is_sleep(line)) threads[count++] = number;
        close(file);
    }
    closedir(tasks);
    return count;
}

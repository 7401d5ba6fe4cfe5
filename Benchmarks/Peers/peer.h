// Shared by the peers in C: reads orders and answers with times, see peer.py.

#ifndef PEER_H
#define PEER_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const char *path;
    const unsigned char *bytes;
    size_t count;
    // The sizes at the end of the work's name, if any.
    int width, height;
} Input;

// Does the work once. Returns the size of the result, 0 on failure.
typedef size_t (*Work)(const Input *);

typedef struct {
    Work work;
    const Input *input;
    int repetitions;
    size_t size;
} Turn;

static void *repeat(void *context) {
    Turn *turn = context;
    for (int i = 0; i < turn->repetitions; i++) turn->size = turn->work(turn->input);
    return NULL;
}

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static long peak(void) {
    FILE *status = fopen("/proc/self/status", "r");
    char line[256];
    long kilobytes = 0;
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) break;
    if (status) fclose(status);
    return kilobytes;
}

static unsigned char *read_file(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *count = ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*count);
    size_t got = bytes ? fread(bytes, 1, *count, file) : 0;
    fclose(file);
    return got == *count ? bytes : NULL;
}

// Executes the orders whose work begins with `prefix`, until standard input ends.
static int serve(const char *prefix, Work work) {
    char order[4096], name[128], path[3900];
    while (fgets(order, sizeof order, stdin)) {
        int repetitions, threads;
        if (sscanf(order, "%127s %d %d %3899[^\n]", name, &repetitions, &threads, path) != 4
            || threads < 1 || threads > 8)
            return 1;
        if (strncmp(name, prefix, strlen(prefix)) != 0) {
            printf("skip: not done by this peer\n");
            fflush(stdout);
            continue;
        }
        Input input = {.path = path};
        sscanf(name + strlen(prefix), "-%dx%d", &input.width, &input.height);
        unsigned char *bytes = read_file(path, &input.count);
        if (!bytes) return 1;
        input.bytes = bytes;
        pthread_t others[8];
        Turn turns[8];
        long before = peak();
        double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        for (int i = 0; i < threads; i++) {
            turns[i] = (Turn){work, &input, repetitions, 0};
            if (i > 0) pthread_create(&others[i], NULL, repeat, &turns[i]);
        }
        repeat(&turns[0]);
        for (int i = 1; i < threads; i++) pthread_join(others[i], NULL);
        wall = seconds(CLOCK_MONOTONIC) - wall;
        cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
        if (turns[0].size == 0) return 1;
        double share = 1000.0 / (repetitions * threads);
        printf("%.5f %.5f %zu %ld %ld\n", wall * share, cpu * share, turns[0].size, peak(), before);
        fflush(stdout);
        free(bytes);
    }
    return 0;
}

#endif

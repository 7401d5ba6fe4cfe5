// As many tests at once as there are cores.
//
// Swift Testing begins all tests at once. Those that compute for long then hold the threads of the
// concurrency pool while the time limits of the others run out. It reads the number of places from the
// environment only, where no one who types `swift test` has set it.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void limit_places(void) {
    char places[16];
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 2;
    snprintf(places, sizeof places, "%d", count);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", places, 0);
}

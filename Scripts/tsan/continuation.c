// Makes the thread sanitizer see that the resumption of a continuation happens before the code
// after its await.
//
// The runtime reports this order only if the task is already waiting and is enqueued. If the
// resumption comes first, the await continues without informing the sanitizer, and reads of the
// task look like races with writes before the resumption. A program of twenty lines shows it within
// seconds.
//
// Therefore the resumption waits here until the task awaits; its caller then finds the task waiting
// and enqueues it. A task that is resumed on its own thread does not need this, and the wait is
// limited to 10 ms for a task whose thread waits for the resumption before it awaits.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define SWIFT __attribute__((swiftcall))
#define COUNT 3

typedef void (*release_function)(void *address);
typedef SWIFT void *(*current_task_function)(void);

// The runtime's pointer to the sanitizer; weak, because the tools around the tests have none.
extern release_function _swift_tsan_release __attribute__((weak));

static release_function original_release;
static current_task_function current_task;
static const char *const names[COUNT] = {
    "swift_continuation_resume",
    "swift_continuation_throwingResume",
    "swift_continuation_throwingResumeWithError",
};
static struct { uintptr_t start, end; } resumptions[COUNT];

// Offsets in the runtime's 64-bit layout: a task's context, and in a continuation's context the
// status: the task awaits (1), was resumed (2), or does not await yet (0).
enum { context_of_task = 0x40, status_of_context = 0x18 };

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

static void wait_until_awaited(void *task) {
    if (current_task() == task) return;
    char *context = *(char **)((char *)task + context_of_task);
    _Atomic uintptr_t *status = (_Atomic uintptr_t *)(context + status_of_context);
    if (atomic_load(status) != 0) return;
    double end = seconds() + 0.01;
    while (atomic_load(status) == 0 && seconds() < end) sched_yield();
}

static void release(void *address) {
    original_release(address);
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    for (int i = 0; i < COUNT; i++) {
        if (caller >= resumptions[i].start && caller < resumptions[i].end) {
            wait_until_awaited(address);
            return;
        }
    }
}

// The sanitizer makes the runtime set its pointer before any constructor runs.
__attribute__((constructor)) static void install(void) {
    if (!&_swift_tsan_release || !_swift_tsan_release) return;
    for (int i = 0; i < COUNT; i++) {
        void *function = dlsym(RTLD_DEFAULT, names[i]);
        Dl_info info;
        ElfW(Sym) *symbol = NULL;
        if (!function) return;
        if (!dladdr1(function, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return;
        resumptions[i].start = (uintptr_t)function;
        resumptions[i].end = resumptions[i].start + symbol->st_size;
    }
    current_task = (current_task_function)dlsym(RTLD_DEFAULT, "swift_task_getCurrent");
    if (!current_task) return;
    original_release = _swift_tsan_release;
    _swift_tsan_release = release;
}

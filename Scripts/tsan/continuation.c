// Tells the thread sanitizer that a continuation orders what was before its resumption and what is
// behind its await.
//
// The runtime tells so where a task waits already and is put into a queue. When the resumption
// comes first, await sees that and goes on, without a word to the sanitizer: what the task then
// reads looks like a race with who made it. A program of twenty lines shows it within seconds.
//
// So the resumption waits here, for the moment that it takes until the task awaits; its caller then
// finds that the task waits and puts it into a queue. A task that is resumed on its own thread needs
// nothing of that, and one whose thread waits for the resumption before it awaits is not waited for
// longer than 10 ms.

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

// The runtime's pointer to the sanitizer; weak as the tools around the tests have none.
extern release_function _swift_tsan_release __attribute__((weak));

static release_function original_release;
static current_task_function current_task;
static const char *const names[COUNT] = {
    "swift_continuation_resume",
    "swift_continuation_throwingResume",
    "swift_continuation_throwingResumeWithError",
};
static struct { uintptr_t start, end; } resumptions[COUNT];

// As the runtime lays them out on machines of 64 bits: a task's context, and in that of a
// continuation whether the task awaits (1), was resumed (2), or does not await yet (0).
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

// The runtime has set its pointer by now, which the sanitizer makes it do before any constructor.
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

// Informs the thread sanitizer about the slow paths of Swift's Mutex.
//
// A free Mutex is locked by an inlined atomic operation, which the sanitizer sees. A contended one
// is locked inside the runtime library, which is not built with the sanitizer: without this
// preloaded library, accesses under a contended lock look like races.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"

// Weak, because this is also loaded into the tools around the tests, which have no sanitizer.
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK_SLOW);
SWIFT bool try_lock_slow(SELF void *handle) __asm__(TRY_LOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    typedef SWIFT void (*function)(uint32_t, SELF void *);
    function original = (function)dlsym(RTLD_NEXT, LOCK_SLOW);
    original(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF void *handle) {
    typedef SWIFT void (*function)(SELF void *);
    function original = (function)dlsym(RTLD_NEXT, UNLOCK_SLOW);
    if (__tsan_release) __tsan_release(handle);
    original(handle);
}

SWIFT bool try_lock_slow(SELF void *handle) {
    typedef SWIFT bool (*function)(SELF void *);
    function original = (function)dlsym(RTLD_NEXT, TRY_LOCK_SLOW);
    bool taken = original(handle);
    if (taken && __tsan_acquire) __tsan_acquire(handle);
    return taken;
}

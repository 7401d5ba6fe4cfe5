// Fault injection, preloaded with LD_PRELOAD: system calls fail with EMFILE, ENOSPC or EIO, read or
// write only a part, or the clock jumps. Only calls on files below one folder are affected, and
// only after kf_faults_begin. Threads are refused after kf_faults_refuse_thread. Scripts/faults.sh
// builds and uses it.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

enum { max_descriptors = 1 << 16 };

static char root[4096];
static atomic_uint per_thousand;
static _Atomic uint64_t state;
static atomic_long threads_to_refusal;
static atomic_long threads_asked;
static atomic_long injected;
static atomic_long clock_offset;
static atomic_uchar is_watched[max_descriptors];

// --- What tests call ---

// Starts the faults for calls below `folder`; about `rate` of 1000 calls fail.
void kf_faults_begin(const char *folder, uint64_t seed, unsigned rate) {
    strncpy(root, folder, sizeof root - 1);
    atomic_store(&state, seed);
    atomic_store(&per_thousand, rate);
}

// Stops the faults, resets the clock and returns the number of failed calls.
long kf_faults_end(void) {
    atomic_store(&per_thousand, 0);
    atomic_store(&clock_offset, 0);
    return atomic_exchange(&injected, 0);
}

// Moves the wall clock of this process by `seconds`, which may be negative.
void kf_faults_jump(long seconds) { atomic_fetch_add(&clock_offset, seconds); }

// Refuses the thread with this number, counted from now on, and no other.
void kf_faults_refuse_thread(long number) {
    atomic_store(&threads_asked, 0);
    atomic_store(&threads_to_refusal, number);
}

// How many threads were asked for since then.
long kf_faults_threads(void) { return atomic_load(&threads_asked); }

// --- Random numbers ---

static uint64_t draw(void) {
    uint64_t z = atomic_fetch_add(&state, 0x9E3779B97F4A7C15u) + 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

// Returns one of the three errors, or 0.
static int chosen(int one, int two, int three) {
    unsigned rate = atomic_load(&per_thousand);
    if (rate == 0 || draw() % 1000 >= rate) return 0;
    atomic_fetch_add(&injected, 1);
    int errors[] = {one, two, three};
    return errors[draw() % 3];
}

static int below_root(const char *path) {
    return atomic_load(&per_thousand) > 0 && path != NULL
        && strncmp(path, root, strlen(root)) == 0;
}

static int watched(int descriptor) {
    return descriptor >= 0 && descriptor < max_descriptors
        && atomic_load(&is_watched[descriptor]);
}

static int harmed_path(const char *path, int one, int two, int three) {
    return below_root(path) ? chosen(one, two, three) : 0;
}

static int harmed(int descriptor, int one, int two, int three) {
    return watched(descriptor) ? chosen(one, two, three) : 0;
}

// Reduces the byte count of some calls, for short reads and writes.
static size_t shortened(int descriptor, size_t count) {
    if (count < 2 || !watched(descriptor) || chosen(1, 1, 1) == 0) return count;
    return 1 + draw() % (count - 1);
}

// --- The intercepted calls ---

#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL_WITH(error)                                                                           \
    do {                                                                                           \
        int code = (error);                                                                        \
        if (code != 0) {                                                                           \
            errno = code;                                                                          \
            return -1;                                                                             \
        }                                                                                          \
    } while (0)

static int noted(int descriptor, const char *path) {
    if (descriptor >= 0 && descriptor < max_descriptors)
        atomic_store(&is_watched[descriptor], (unsigned char)below_root(path));
    return descriptor;
}

#define OPENING(name, parameters, arguments)                                                       \
    int name parameters {                                                                          \
        NEXT(name);                                                                                \
        mode_t mode = 0;                                                                           \
        if (flags & (O_CREAT | __O_TMPFILE)) {                                                     \
            va_list list;                                                                          \
            va_start(list, flags);                                                                 \
            mode = va_arg(list, mode_t);                                                           \
            va_end(list);                                                                          \
        }                                                                                          \
        FAIL_WITH(harmed_path(path, EMFILE, ENFILE, flags & O_CREAT ? ENOSPC : EIO));              \
        return noted(next arguments, path);                                                        \
    }
OPENING(open, (const char *path, int flags, ...), (path, flags, mode))
OPENING(open64, (const char *path, int flags, ...), (path, flags, mode))
OPENING(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPENING(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))

int close(int descriptor) {
    NEXT(close);
    if (descriptor >= 0 && descriptor < max_descriptors) atomic_store(&is_watched[descriptor], 0);
    return next(descriptor);
}

DIR *opendir(const char *path) {
    NEXT(opendir);
    int error = harmed_path(path, EMFILE, ENFILE, EIO);
    if (error == 0) return next(path);
    errno = error;
    return NULL;
}

#define READING(name, type)                                                                        \
    ssize_t name(int descriptor, void *bytes, size_t count, type offset) {                         \
        NEXT(name);                                                                                \
        FAIL_WITH(harmed(descriptor, EIO, EINTR, EIO));                                            \
        return next(descriptor, bytes, shortened(descriptor, count), offset);                      \
    }
READING(pread, off_t)
READING(pread64, off64_t)

ssize_t read(int descriptor, void *bytes, size_t count) {
    NEXT(read);
    FAIL_WITH(harmed(descriptor, EIO, EINTR, EIO));
    return next(descriptor, bytes, shortened(descriptor, count));
}

#define WRITING(name, type)                                                                        \
    ssize_t name(int descriptor, const void *bytes, size_t count, type offset) {                   \
        NEXT(name);                                                                                \
        FAIL_WITH(harmed(descriptor, ENOSPC, EIO, EDQUOT));                                        \
        return next(descriptor, bytes, shortened(descriptor, count), offset);                      \
    }
WRITING(pwrite, off_t)
WRITING(pwrite64, off64_t)

ssize_t write(int descriptor, const void *bytes, size_t count) {
    NEXT(write);
    FAIL_WITH(harmed(descriptor, ENOSPC, EIO, EDQUOT));
    return next(descriptor, bytes, shortened(descriptor, count));
}

#define ON_DESCRIPTOR(name, parameters, arguments, one, two, three)                                \
    int name parameters {                                                                          \
        NEXT(name);                                                                                \
        FAIL_WITH(harmed(descriptor, one, two, three));                                            \
        return next arguments;                                                                     \
    }
ON_DESCRIPTOR(fsync, (int descriptor), (descriptor), EIO, ENOSPC, EINTR)
ON_DESCRIPTOR(fdatasync, (int descriptor), (descriptor), EIO, ENOSPC, EINTR)
ON_DESCRIPTOR(ftruncate, (int descriptor, off_t size), (descriptor, size), EIO, ENOSPC, EINTR)
ON_DESCRIPTOR(ftruncate64, (int descriptor, off64_t size), (descriptor, size), EIO, ENOSPC, EINTR)
ON_DESCRIPTOR(fstat, (int descriptor, struct stat *found), (descriptor, found), EIO, EIO, EIO)
ON_DESCRIPTOR(flock, (int descriptor, int kind), (descriptor, kind), EINTR, ENOLCK, EINTR)
ON_DESCRIPTOR(fsetxattr,
              (int descriptor, const char *name, const void *value, size_t size, int flags),
              (descriptor, name, value, size, flags), ENOSPC, ENOTSUP, EIO)

#define ON_PATH(name, parameters, arguments, one, two, three)                                      \
    int name parameters {                                                                          \
        NEXT(name);                                                                                \
        FAIL_WITH(harmed_path(path, one, two, three));                                             \
        return next arguments;                                                                     \
    }
ON_PATH(mkdir, (const char *path, mode_t mode), (path, mode), ENOSPC, EIO, EDQUOT)
ON_PATH(rename, (const char *path, const char *other), (path, other), ENOSPC, EIO, EDQUOT)
ON_PATH(renameat2, (int at, const char *path, int there, const char *other, unsigned flags),
        (at, path, there, other, flags), ENOSPC, EIO, EINVAL)
ON_PATH(unlink, (const char *path), (path), EIO, EIO, EROFS)
ON_PATH(stat, (const char *path, struct stat *found), (path, found), EIO, ENOMEM, EIO)
ON_PATH(lstat, (const char *path, struct stat *found), (path, found), EIO, ENOMEM, EIO)

#define MAPPING(name, type)                                                                        \
    void *name(void *address, size_t count, int protection, int flags, int descriptor,             \
               type offset) {                                                                      \
        NEXT(name);                                                                                \
        int error = harmed(descriptor, ENOMEM, ENODEV, ENOMEM);                                    \
        if (error == 0) return next(address, count, protection, flags, descriptor, offset);        \
        errno = error;                                                                             \
        return MAP_FAILED;                                                                         \
    }
MAPPING(mmap, off_t)
MAPPING(mmap64, off64_t)

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *),
                   void *context) {
    NEXT(pthread_create);
    atomic_fetch_add(&threads_asked, 1);
    if (atomic_fetch_sub(&threads_to_refusal, 1) == 1) return EAGAIN;
    return next(thread, attributes, body, context);
}

// --- The clock ---

int clock_gettime(clockid_t clock, struct timespec *now) {
    NEXT(clock_gettime);
    int status = next(clock, now);
    if (status == 0 && clock == CLOCK_REALTIME) now->tv_sec += atomic_load(&clock_offset);
    return status;
}

int gettimeofday(struct timeval *now, void *zone) {
    NEXT(gettimeofday);
    int status = next(now, zone);
    if (status == 0) now->tv_sec += atomic_load(&clock_offset);
    return status;
}

time_t time(time_t *result) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (result != NULL) *result = now.tv_sec;
    return now.tv_sec;
}

#define _GNU_SOURCE
#include "CKFIsolationShim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>

#define KF_TMPFS_MAGIC 0x01021994
#define KF_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

int kf_memory_create(void) {
    int memory = memfd_create("kingfisher", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    return memory < 0 ? -errno : memory;
}

int kf_memory_write(int memory, const void *bytes, size_t length) {
    const char *next = bytes;
    while (length > 0) {
        ssize_t count = write(memory, next, length);
        if (count == 0) return ENOSPC;
        if (count < 0 && errno != EINTR) return errno;
        if (count < 0) continue;
        next += count;
        length -= (size_t)count;
    }
    return 0;
}

int kf_memory_seal(int memory) {
    return fcntl(memory, F_ADD_SEALS, KF_SEALS | F_SEAL_SEAL) == 0 ? 0 : errno;
}

int64_t kf_memory_sealed_size(int memory) {
    int seals = fcntl(memory, F_GET_SEALS);
    if (seals < 0 || (seals & KF_SEALS) != KF_SEALS) return -1;
    // Files of huge pages have seals, too, and reading one fails when the system has none left.
    struct statfs system;
    if (fstatfs(memory, &system) != 0 || (unsigned long)system.f_type != KF_TMPFS_MAGIC) return -1;
    // Not fstat, which is a call with a path in newer C libraries.
    return (int64_t)lseek(memory, 0, SEEK_END);
}

int kf_exchange_create(size_t length) {
    int memory = kf_memory_create();
    if (memory < 0) return memory;
    if (ftruncate(memory, (off_t)length) == 0
        && fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        return memory;
    int error = errno;
    close(memory);
    return -error;
}

int kf_partial_create(size_t length, int *readable) {
    struct rlimit files;
    // A size above this limit is not refused, but ends the process.
    if (getrlimit(RLIMIT_FSIZE, &files) == 0 && length > files.rlim_cur) return -EFBIG;
    int memory = kf_exchange_create(length);
    if (memory < 0) return memory;
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    *readable = open(path, O_RDONLY | O_CLOEXEC);
    if (*readable >= 0) return memory;
    int error = errno;
    close(memory);
    return -error;
}

// Copies all bytes into or out of the memory, from `offset`.
static int transfer(int memory, char *next, size_t length, size_t offset, bool writes) {
    while (length > 0) {
        ssize_t count = writes ? pwrite(memory, next, length, (off_t)offset)
                               : pread(memory, next, length, (off_t)offset);
        if (count == 0) return writes ? ENOSPC : EINVAL;
        if (count < 0 && errno != EINTR) return errno;
        if (count < 0) continue;
        next += count;
        offset += (size_t)count;
        length -= (size_t)count;
    }
    return 0;
}

int kf_exchange_write(int memory, const void *bytes, size_t length, size_t offset) {
    return transfer(memory, (char *)bytes, length, offset, true);
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

int kf_exchange_read(int memory, void *bytes, size_t length, size_t offset) {
    // All pages at once takes half the time of a fault for each. Kernels before 5.14 refuse, and so
    // does memory that is not a mapping of its own.
    if (length >= 64 << 10) (void)madvise(bytes, length, MADV_POPULATE_WRITE);
    return transfer(memory, bytes, length, offset, false);
}

#pragma once
#include <stddef.h>
#include <stdint.h>

// Times are read here because the fields of `timespec` belong to one of two modules in Swift,
// depending on which files are compiled together, and only one of them can be imported.

// The nanoseconds that a clock of the system counts, for instance CLOCK_BOOTTIME.
int64_t kf_clock_nanoseconds(int clock);

// When a file was changed, in nanoseconds since 1970, by its `struct stat`; wraps for dates beyond
// the year 2262.
int64_t kf_modified_nanoseconds(const void *status);

// Starts a detached thread that calls `body` with `context`. `name` is cut to 15 bytes, the most
// that the kernel keeps. `stack` is the size of its stack in bytes. Returns 0, or the error number
// of pthread_create; then `body` is not called.
int kf_thread_start(const char *name, size_t stack, void (*body)(void *), void *context);

// Finds the threads of this process that sleep: in nanosleep or clock_nanosleep, as libdispatch does
// when the system refuses it a thread. Stores the numbers of at most `most` of them, and returns how
// many; none where the system does not report it.
int kf_threads_asleep(int *threads, int most);

// Waits for at least `nanoseconds`, or until a signal arrives; not by one of the calls above.
void kf_pause(int64_t nanoseconds);

// Gives the main thread room for its stack up to the hard limit, and the threads of other libraries,
// which ask for none, `stack` bytes at least. Returns the bytes that the main thread may use.
uint64_t kf_stacks_raise(size_t stack);

// Raises the soft limit of descriptors to the hard one; leaves it as it is if that is refused.
void kf_descriptors_raise(void);

// Lets writes beyond the limit of file sizes fail with EFBIG; by default they end the process.
void kf_file_size_report(void);

// How many descriptors can be opened now, counted up to `most`.
int kf_descriptors_free(int most);

// The limit of the address space in bytes; UINT64_MAX if there is none.
uint64_t kf_address_space_limit(void);

#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Worker processes: starting and ending them, passing memory to them, and locking them in.
//
// The calls that Swift cannot make itself: variadic functions, macros for ancillary data, raw system calls
// and the seccomp filter. Functions that return int return 0 or an error number unless they say
// otherwise. Needs Linux 5.4.

enum {
    // The descriptor on which a worker finds its socket.
    KF_WORKER_SOCKET = 3,
    // The most descriptors in one message.
    KF_MESSAGE_DESCRIPTORS = 16,
    // The exit code of a worker that made a call that the filter forbids.
    KF_EXIT_FORBIDDEN_CALL = 159,
};

// --- Processes ------------------------------------------------------------------------------

struct kf_worker {
    pid_t pid;
    // A pidfd: refers to this process even after other code has reaped it.
    int process;
    // SOCK_SEQPACKET: one message, one packet. At its end the other side is gone.
    int socket;
};

// Starts `path` with the given arguments and environment, in a process group of its own, with
// /dev/null for the standard streams and its end of a socket pair as KF_WORKER_SOCKET.
int kf_worker_start(
    const char *path, char *const arguments[], char *const environment[], struct kf_worker *worker);

// Ends a process at once; 0 also for one that has ended already. Fails where a filter of system
// calls does not know pidfd_send_signal.
int kf_worker_kill(int process);

// Ends a process by its number, which must not have been reaped.
int kf_worker_kill_number(int pid);

// Waits for a process to end and reaps it, at most for some milliseconds. `signal` is the one that
// ended it, or 0 and `code` is its exit code. ECHILD if other code has reaped it, or ETIMEDOUT.
int kf_worker_wait(int process, int milliseconds, int *signal, int *code);

// --- Messages -------------------------------------------------------------------------------

// Sends one packet with descriptors. EPIPE when the other side is gone, EAGAIN when it has not read
// earlier packets.
int kf_message_send(
    int socket, const void *bytes, size_t length, const int *descriptors, size_t count);

// Receives one packet. `length` is its capacity at first and then its length, 0 at the end;
// `descriptors` has room for KF_MESSAGE_DESCRIPTORS and gets `count` of them, which are the
// caller's to close. EMSGSIZE for a packet that does not fit, EMFILE when this process can open no
// more descriptors: those that came are closed.
int kf_message_receive(int socket, void *bytes, size_t *length, int *descriptors, size_t *count);

// Waits until a packet or the end can be received. ETIMEDOUT after `milliseconds`; a negative
// number waits forever.
int kf_message_wait(int socket, int milliseconds);

// --- Signals between threads ----------------------------------------------------------------

// An event that a thread can wait for. Negative: the negated error number.
int kf_event_create(void);

// Ends the present or the next wait.
void kf_event_signal(int event);

// Waits for some milliseconds, or without a limit if they are -1. Returns 1 when the event was signalled,
// which clears it; 2 when the socket, which may be -1, can be read or has ended; 0 after the time.
int kf_event_wait(int event, int socket, int milliseconds);

// --- Memory ---------------------------------------------------------------------------------

// An empty file in memory. Negative: the negated error number.
int kf_memory_create(void);

// Writes all bytes at the end of a file in memory.
int kf_memory_write(int memory, const void *bytes, size_t length);

// Makes contents and size of a file in memory final.
int kf_memory_seal(int memory);

// The size of a file whose contents and size are final; -1 if it is anything else. Reading such a
// mapping cannot fail, whatever the process that made it does.
int64_t kf_memory_sealed_size(int memory);

// A file in memory of `length` zeros, whose size is final and whose contents are not. Takes memory
// only where it was written. Negative: the negated error number.
int kf_exchange_create(size_t length);

// As kf_exchange_create, with a second descriptor through which it can only be read.
int kf_partial_create(size_t length, int *readable);

// Writes all bytes at a place inside.
int kf_exchange_write(int memory, const void *bytes, size_t length, size_t offset);

// Copies bytes out of a place inside. Unlike access to a mapping, it reports a lack of memory, even
// when the other process has removed the pages.
int kf_exchange_read(int memory, void *bytes, size_t length, size_t offset);

// --- The worker's own walls -----------------------------------------------------------------

struct kf_walls {
    // Bytes of address space beyond those in use.
    uint64_t memory;
    // Seconds of CPU time in all.
    uint64_t cpu_seconds;
    // Whether calls that open or examine files fail with EACCES rather than end the process, for
    // libraries that ask for fonts and settings and do without.
    int refuses_files;
    // Bytes of private memory that can be written, beyond those in use; 0 for no limit besides `memory`. What the
    // program gets in shared memory does not count.
    uint64_t private_memory;
    // Called when all walls are up but the list of system calls, to start threads, which it applies to as well. NULL
    // for none.
    void (*start_threads)(void);
};

struct kf_walls_result {
    // The step that failed, in English; NULL if none did.
    const char *failed_step;
    int error;
    // The version of Landlock that is in force; 0 without.
    int landlock;
};

// Whether KF_WORKER_SOCKET is the socket that kf_worker_start gives its workers.
int kf_worker_has_socket(void);

// Closes every descriptor but the standard streams and the socket, and makes the process end with
// the thread that started it.
int kf_worker_begin(void);

// Locks the process in, for good: limits, no privileges, no files, no network, and only the system
// calls that decoding needs. One that calls another reports its number on the socket, as a
// kf_forbidden_call, and exits with KF_EXIT_FORBIDDEN_CALL.
struct kf_walls_result kf_worker_enter(struct kf_walls walls);

// The last packet of a worker.
struct kf_forbidden_call {
    uint32_t magic;
    int32_t number;
};
enum { KF_FORBIDDEN_MAGIC = 0x4b46464f };

// Whether this build has a sanitizer, whose own calls no filter can foresee; then there is none.
int kf_is_sanitized(void);

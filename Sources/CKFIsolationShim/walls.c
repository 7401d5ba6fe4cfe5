#define _GNU_SOURCE
#include "CKFIsolationShim.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define KF_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define KF_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KF_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KF_SANITIZED 1
#endif

int kf_is_sanitized(void) {
#ifdef KF_SANITIZED
    return 1;
#else
    return 0;
#endif
}

int kf_worker_has_socket(void) {
    int type = 0;
    socklen_t length = sizeof type;
    return getsockopt(KF_WORKER_SOCKET, SOL_SOCKET, SO_TYPE, &type, &length) == 0
        && type == SOCK_SEQPACKET;
}

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

static void close_inherited(void) {
    if (syscall(SYS_close_range, KF_WORKER_SOCKET + 1, ~0U, 0) == 0) return;
    long most = sysconf(_SC_OPEN_MAX);
    for (long descriptor = KF_WORKER_SOCKET + 1; descriptor < most; descriptor++)
        close((int)descriptor);
}

int kf_worker_begin(void) {
    close_inherited();
    prctl(PR_SET_NAME, "kf-worker");
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 ? 0 : errno;
}

// --- Limits ---------------------------------------------------------------------------------

static int limit(int resource, uint64_t value) {
    struct rlimit old;
    if (getrlimit(resource, &old) != 0) return -1;
    // Never above the program's own limit.
    rlim_t most = old.rlim_max != RLIM_INFINITY && old.rlim_max < value ? old.rlim_max : value;
    return setrlimit(resource, &(struct rlimit){.rlim_cur = most, .rlim_max = most});
}

// Limits a resource to the pages in use and a number of bytes more.
static int limit_beyond(unsigned long pages, int resource, uint64_t bytes) {
    uint64_t used = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    return limit(resource, bytes > UINT64_MAX - used ? UINT64_MAX : used + bytes);
}

static int limit_memory(struct kf_walls walls) {
    unsigned long all = 0, private = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL) return -1;
    int found = fscanf(file, "%lu %*u %*u %*u %*u %lu", &all, &private);
    fclose(file);
    if (found != 2) {
        errno = EINVAL;
        return -1;
    }
    if (limit_beyond(all, RLIMIT_AS, walls.memory) != 0) return -1;
    return walls.private_memory == 0 ? 0 : limit_beyond(private, RLIMIT_DATA, walls.private_memory);
}

static int set_limits(struct kf_walls walls) {
    // Memory of a sanitizer is address space by the terabyte.
    if (!kf_is_sanitized() && limit_memory(walls) != 0) return -1;
    if (limit(RLIMIT_FSIZE, walls.memory) != 0) return -1;
    if (limit(RLIMIT_CPU, walls.cpu_seconds) != 0) return -1;
    if (limit(RLIMIT_CORE, 0) != 0) return -1;
    return limit(RLIMIT_NOFILE, KF_WORKER_SOCKET + 1 + 2 * KF_MESSAGE_DESCRIPTORS);
}

// --- Privileges -----------------------------------------------------------------------------

// Ends root's special powers: no capability is left, and files that only root may touch are out of
// reach even if all else fails.
static int drop_privileges(void) {
    if (geteuid() == 0) {
        // Refused where a container maps no such user; without capabilities that is bearable.
        const uid_t nobody = 65534;
        if (setgroups(0, NULL) == 0 && setresgid(nobody, nobody, nobody) == 0) {
            int unused = setresuid(nobody, nobody, nobody);
            (void)unused;
        }
    }
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof none);
    if (syscall(SYS_capset, &header, none) != 0) return -1;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    // Both are reset by a change of the user.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return -1;
    return prctl(PR_SET_DUMPABLE, 0);
}

// --- Landlock -------------------------------------------------------------------------------

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_restrict_self 446
#endif

// The kernel's header may be older than the kernel.
struct ruleset {
    uint64_t files, network, scope;
};

// Forbids every access to files, TCP and other processes that the kernel's Landlock knows of.
static int enter_landlock(int *version) {
    *version = 0;
    long found = syscall(SYS_landlock_create_ruleset, NULL, 0, 1);
    // A kernel without it: the filter stands alone.
    if (found < 1) return 0;
    struct ruleset rules = {.files = (1u << 13) - 1};
    if (found >= 2) rules.files |= 1u << 13;
    if (found >= 3) rules.files |= 1u << 14;
    if (found >= 5) rules.files |= 1u << 15;
    if (found >= 4) rules.network = 3;
    if (found >= 6) rules.scope = 3;
    size_t size = found >= 6 ? 24 : found >= 4 ? 16 : 8;
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0);
    if (set < 0) return -1;
    long result = syscall(SYS_landlock_restrict_self, set, 0);
    close(set);
    if (result == 0) *version = (int)found;
    return (int)result;
}

// --- System calls ---------------------------------------------------------------------------

#ifdef KF_ARCHITECTURE

// Measured with strace over the fixtures of every codec; IsolatedDecodingTests fails when one is
// missing.
static const int allowed_calls[] = {
    __NR_write, __NR_close, __NR_fstatfs, __NR_lseek,
    __NR_munmap, __NR_mremap, __NR_madvise, __NR_brk,
    __NR_clock_gettime, __NR_getrandom, __NR_sched_yield, __NR_gettid, __NR_getpid,
    __NR_rt_sigprocmask, __NR_exit_group,
};

// Calls that fail for every worker, because libraries do without: they ask how large the machine is, and where their
// messages go.
static const int unknown_calls[] = {
    __NR_sysinfo, __NR_sched_getaffinity, __NR_uname, __NR_ioctl, __NR_getcwd, __NR_getpeername,
};

// The calls that kf_walls.refuses_files makes fail; they are never made. Measured with strace over
// documents: poppler lists its folders of tables, and fontconfig reads its settings; the C library reads
// tables of characters for libavformat.
static const int refused_calls[] = {
    __NR_openat, __NR_newfstatat, __NR_statx, __NR_faccessat, __NR_readlinkat, __NR_fstat,
#ifdef __x86_64__
    __NR_open, __NR_stat, __NR_lstat, __NR_access, __NR_readlink,
#endif
};

enum { MAX_INSTRUCTIONS = 128 };

struct program {
    struct sock_filter code[MAX_INSTRUCTIONS];
    unsigned short length;
    int overflow;
};

static void add(struct program *program, struct sock_filter instruction) {
    if (program->length < MAX_INSTRUCTIONS) program->code[program->length++] = instruction;
    else program->overflow = 1;
}

#define LOAD(field) \
    (struct sock_filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, value)
#define IF_EQUAL(value, yes, no) \
    (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define IF_ANY_BIT(bits, yes, no) \
    (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no)

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the low half of an argument is elsewhere"
#endif
#define LOW(argument) LOAD(args[argument])

static void allow(struct program *program, int number) {
    add(program, IF_EQUAL((unsigned)number, 0, 1));
    add(program, RETURN(SECCOMP_RET_ALLOW));
}

// Allows a call whose argument has one of two values.
static void allow_value(
    struct program *program, int number, int argument, unsigned one, unsigned other) {
    add(program, IF_EQUAL((unsigned)number, 0, 5));
    add(program, argument == 0 ? LOW(0) : argument == 1 ? LOW(1) : LOW(2));
    add(program, IF_EQUAL(one, 1, 0));
    add(program, IF_EQUAL(other, 0, 1));
    add(program, RETURN(SECCOMP_RET_ALLOW));
    add(program, RETURN(SECCOMP_RET_TRAP));
}

// Allows a call whose third argument has none of the bits.
static void allow_without(struct program *program, int number, unsigned bits) {
    add(program, IF_EQUAL((unsigned)number, 0, 4));
    add(program, LOW(2));
    add(program, IF_ANY_BIT(bits, 1, 0));
    add(program, RETURN(SECCOMP_RET_ALLOW));
    add(program, RETURN(SECCOMP_RET_TRAP));
}

// Allows a thread of this process to abort it, so that the program sees the signal.
static void allow_abort(struct program *program) {
    add(program, IF_EQUAL(__NR_tgkill, 0, 6));
    add(program, LOW(0));
    add(program, IF_EQUAL((unsigned)getpid(), 0, 3));
    add(program, LOW(2));
    add(program, IF_EQUAL(SIGABRT, 0, 1));
    add(program, RETURN(SECCOMP_RET_ALLOW));
    add(program, RETURN(SECCOMP_RET_TRAP));
}

static void refuse(struct program *program, int number, unsigned error) {
    add(program, IF_EQUAL((unsigned)number, 0, 1));
    add(program, RETURN(SECCOMP_RET_ERRNO | error));
}

static void build(struct program *program, int refuses_files) {
    add(program, LOAD(arch));
    add(program, IF_EQUAL(KF_ARCHITECTURE, 1, 0));
    add(program, RETURN(SECCOMP_RET_KILL_PROCESS));
    add(program, LOAD(nr));
#ifdef __x86_64__
    // The x32 calls have the same architecture and a bit of their own.
    add(program, IF_ANY_BIT(0x40000000, 0, 1));
    add(program, RETURN(SECCOMP_RET_KILL_PROCESS));
#endif
    for (size_t index = 0; index < sizeof allowed_calls / sizeof *allowed_calls; index++)
        allow(program, allowed_calls[index]);
    // No new code, whatever was written to memory.
    allow_without(program, __NR_mmap, PROT_EXEC);
    allow_without(program, __NR_mprotect, PROT_EXEC);
    // The one socket, and memory for results.
    allow_value(program, __NR_recvmsg, 0, KF_WORKER_SOCKET, KF_WORKER_SOCKET);
    allow_value(program, __NR_sendmsg, 0, KF_WORKER_SOCKET, KF_WORKER_SOCKET);
    unsigned kind = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    allow_value(program, __NR_memfd_create, 1, kind, kind);
    allow_value(program, __NR_fcntl, 1, F_ADD_SEALS, F_GET_SEALS);
    allow_abort(program);
    // Locks, for the threads of this process.
    add(program, IF_EQUAL(__NR_futex, 0, 6));
    add(program, LOW(1));
    add(program, IF_EQUAL(FUTEX_WAKE_PRIVATE, 2, 0));
    add(program, IF_EQUAL(FUTEX_WAIT_PRIVATE, 1, 0));
    add(program, IF_EQUAL(FUTEX_WAIT_BITSET_PRIVATE, 0, 1));
    add(program, RETURN(SECCOMP_RET_ALLOW));
    add(program, RETURN(SECCOMP_RET_TRAP));
    for (size_t index = 0; refuses_files && index < sizeof refused_calls / sizeof *refused_calls;
         index++)
        refuse(program, refused_calls[index], EACCES);
    for (size_t index = 0; index < sizeof unknown_calls / sizeof *unknown_calls; index++)
        refuse(program, unknown_calls[index], ENOSYS);
    // Reported by the handler below rather than killed, so that the error names the call. A program
    // that blocks the signal, as the C library does before it starts a process or a thread, gains
    // nothing: the call is not made in any case, and the kernel ends the process by the signal.
    add(program, RETURN(SECCOMP_RET_TRAP));
}

static void report_forbidden(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    struct kf_forbidden_call last = {.magic = KF_FORBIDDEN_MAGIC, .number = info->si_syscall};
    struct iovec part = {.iov_base = &last, .iov_len = sizeof last};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    syscall(SYS_sendmsg, KF_WORKER_SOCKET, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    _exit(KF_EXIT_FORBIDDEN_CALL);
}

static int enter_filter(int refuses_files) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = report_forbidden;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    if (sigaction(SIGSYS, &action, NULL) != 0) return -1;
    static struct program program;
    build(&program, refuses_files);
    if (program.overflow) {
        errno = E2BIG;
        return -1;
    }
    struct sock_fprog filter = {.len = program.length, .filter = program.code};
    // For all threads; otherwise the result is the one that has other rules.
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    if (result > 0) errno = ESRCH;
    return result == 0 ? 0 : -1;
}

#else

static int enter_filter(int refuses_files) {
    (void)refuses_files;
    // No list of calls for this processor: rather no worker than one that is open.
    errno = ENOSYS;
    return -1;
}

#endif

struct kf_walls_result kf_worker_enter(struct kf_walls walls) {
    struct kf_walls_result result = {0};
    if (set_limits(walls) != 0) {
        result.failed_step = "setting limits";
    } else if (drop_privileges() != 0) {
        result.failed_step = "dropping privileges";
    } else if (enter_landlock(&result.landlock) != 0) {
        result.failed_step = "entering Landlock";
    } else {
        if (walls.start_threads != NULL) walls.start_threads();
        if (!kf_is_sanitized() && enter_filter(walls.refuses_files) != 0)
            result.failed_step = "entering seccomp";
    }
    if (result.failed_step != NULL) result.error = errno;
    return result;
}

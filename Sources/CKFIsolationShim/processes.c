#define _GNU_SOURCE
#include "CKFIsolationShim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The C library of a supported system may be older than these.
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#define KF_P_PIDFD 3

// What workers have as standard streams: /dev/null, or without it the end of a pipe that has no
// writer and accepts no bytes. Its number is above those of a worker. Returns -errno if refused.
static int open_null(void) {
    int ends[2] = {open("/dev/null", O_RDWR | O_CLOEXEC), -1};
    if (ends[0] < 0 && pipe2(ends, O_CLOEXEC) != 0) return -errno;
    int null = fcntl(ends[0], F_DUPFD_CLOEXEC, KF_WORKER_SOCKET + 1);
    int error = errno;
    close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
    return null < 0 ? -error : null;
}

static int prepare(
    posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int socket, int null) {
    int error = 0;
    // The socket first: it may be one of the standard streams of a program that closed its own.
    if (!error) error = posix_spawn_file_actions_adddup2(actions, socket, KF_WORKER_SOCKET);
    for (int stream = 0; stream < 3 && !error; stream++)
        error = posix_spawn_file_actions_adddup2(actions, null, stream);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    if (!error) error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    // A process group of its own: signals of a terminal are for the program only.
    if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
    if (!error)
        error = posix_spawnattr_setflags(
            attributes,
            POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    return error;
}

static int spawn(
    const char *path, char *const arguments[], char *const environment[], int socket, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    int null = open_null();
    error = null < 0 ? -null : posix_spawnattr_init(&attributes);
    if (!error) {
        error = prepare(&actions, &attributes, socket, null);
        if (!error) error = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    if (null >= 0) close(null);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int kf_worker_start(
    const char *path,
    char *const arguments[],
    char *const environment[],
    struct kf_worker *worker) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return errno;
    // Room for the largest message, whatever the system's default is.
    for (int end = 0; end < 2; end++)
        setsockopt(pair[end], SOL_SOCKET, SO_SNDBUF, &(int){256 << 10}, sizeof(int));
    pid_t pid = 0;
    int error = spawn(path, arguments, environment, pair[1], &pid);
    close(pair[1]);
    if (error) {
        close(pair[0]);
        return error;
    }
    // Close-on-exec by definition. Our own child cannot be reaped before it is opened, unless the
    // program ignores SIGCHLD: then this fails rather than name another process.
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    if (process < 0) {
        error = errno;
        close(pair[0]);
        // Without its socket the worker ends by itself.
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
        return error;
    }
    *worker = (struct kf_worker){.pid = pid, .process = process, .socket = pair[0]};
    return 0;
}

int kf_worker_kill(int process) {
    if (syscall(SYS_pidfd_send_signal, process, SIGKILL, NULL, 0) == 0) return 0;
    return errno == ESRCH ? 0 : errno;
}

int kf_worker_kill_number(int pid) {
    if (kill(pid, SIGKILL) == 0) return 0;
    return errno == ESRCH ? 0 : errno;
}

int kf_worker_wait(int process, int milliseconds, int *signal, int *code) {
    struct pollfd ended = {.fd = process, .events = POLLIN};
    int found;
    // An interruption starts the wait again: the signals of a program are few.
    while ((found = poll(&ended, 1, milliseconds)) < 0 && errno == EINTR) {}
    if (found < 0) return errno;
    if (found == 0) return ETIMEDOUT;
    siginfo_t info;
    memset(&info, 0, sizeof info);
    while (waitid((idtype_t)KF_P_PIDFD, (id_t)process, &info, WEXITED) != 0) {
        if (errno != EINTR) return errno;
    }
    int is_exit = info.si_code == CLD_EXITED;
    *signal = is_exit ? 0 : info.si_status;
    *code = is_exit ? info.si_status : 0;
    return 0;
}

// --- Messages -------------------------------------------------------------------------------

union control {
    char bytes[CMSG_SPACE(sizeof(int) * KF_MESSAGE_DESCRIPTORS)];
    struct cmsghdr aligned;
};

int kf_message_send(
    int socket, const void *bytes, size_t length, const int *descriptors, size_t count) {
    if (count > KF_MESSAGE_DESCRIPTORS) return EINVAL;
    union control control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = length};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
    }
    while (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        if (errno != EINTR) return errno;
    }
    return 0;
}

static void take(struct msghdr *message, int *descriptors, size_t *count) {
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header != NULL;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t found = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < found; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + index * sizeof(int), sizeof descriptor);
            if (*count < KF_MESSAGE_DESCRIPTORS) descriptors[(*count)++] = descriptor;
            else close(descriptor);
        }
    }
}

int kf_message_receive(int socket, void *bytes, size_t *length, int *descriptors, size_t *count) {
    union control control;
    struct iovec part = {.iov_base = bytes, .iov_len = *length};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = control.bytes,
        .msg_controllen = sizeof control.bytes,
    };
    *length = 0;
    *count = 0;
    ssize_t received;
    while ((received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0) {
        if (errno != EINTR) return errno;
    }
    take(&message, descriptors, count);
    if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
        for (size_t index = 0; index < *count; index++) close(descriptors[index]);
        *count = 0;
        // Fewer than were sent: this process has no room for more, which is not the sender's fault.
        return message.msg_flags & MSG_TRUNC ? EMSGSIZE : EMFILE;
    }
    *length = (size_t)received;
    return 0;
}

int kf_message_wait(int socket, int milliseconds) {
    struct pollfd wanted = {.fd = socket, .events = POLLIN};
    int ready = poll(&wanted, 1, milliseconds);
    if (ready > 0) return 0;
    return ready == 0 ? ETIMEDOUT : errno;
}

// --- Signals between threads ----------------------------------------------------------------

int kf_event_create(void) {
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return event < 0 ? -errno : event;
}

void kf_event_signal(int event) {
    const uint64_t one = 1;
    while (write(event, &one, sizeof one) < 0 && errno == EINTR) {}
}

int kf_event_wait(int event, int socket, int milliseconds) {
    // A negative descriptor is left out.
    struct pollfd wanted[] = {{.fd = event, .events = POLLIN}, {.fd = socket, .events = POLLIN}};
    int ready;
    while ((ready = poll(wanted, 2, milliseconds)) < 0) {
        if (errno != EINTR && errno != EAGAIN) return 1;
    }
    if (ready == 0) return 0;
    if (wanted[0].revents == 0) return 2;
    uint64_t count;
    while (read(event, &count, sizeof count) < 0 && errno == EINTR) {}
    return 1;
}

#ifdef KF_REDIS
#include "CKFRedisShim.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const int resolver_error = 10000;

static int start(int family, const struct sockaddr *address, socklen_t size) {
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    if (family != AF_UNIX) {
        int on = 1, idle = 30;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
        setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    }
    if (connect(fd, address, size) == 0 || errno == EINPROGRESS) return fd;
    int error = errno;
    close(fd);
    return -error;
}

int kf_redis_connect(const char *host, const char *port, unsigned attempt) {
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *all = NULL, *one;
    int error = getaddrinfo(host, port, &hints, &all);
    // The resolver's errors are negative.
    if (error != 0) return error == EAI_SYSTEM ? -errno : error - resolver_error;
    unsigned count = 0;
    for (one = all; one != NULL; one = one->ai_next) count++;
    unsigned index = count > 0 ? attempt % count : 0;
    for (one = all; one != NULL && index > 0; one = one->ai_next) index--;
    int fd = one != NULL ? start(one->ai_family, one->ai_addr, one->ai_addrlen) : -EADDRNOTAVAIL;
    freeaddrinfo(all);
    return fd;
}

int kf_redis_connect_path(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    return start(AF_UNIX, (const struct sockaddr *)&address, sizeof address);
}

const char *kf_redis_connect_error(int result) {
    return result <= -resolver_error + 1000 ? gai_strerror(result + resolver_error)
                                            : strerror(-result);
}

int kf_redis_socket_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

static long tls_result(SSL *tls, int result) {
    switch (SSL_get_error(tls, result)) {
    case SSL_ERROR_WANT_READ: return KF_REDIS_WANTS_READ;
    case SSL_ERROR_WANT_WRITE: return KF_REDIS_WANTS_WRITE;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: return -1;
    }
}

long kf_redis_receive(int fd, void *tls, void *bytes, size_t count) {
    if (tls != NULL) {
        ERR_clear_error();
        size_t done = 0;
        int result = SSL_read_ex(tls, bytes, count, &done);
        return result == 1 ? (long)done : tls_result(tls, result);
    }
    ssize_t done = recv(fd, bytes, count, 0);
    if (done >= 0) return done;
    return errno == EAGAIN || errno == EINTR ? KF_REDIS_WANTS_READ : -1;
}

long kf_redis_send(int fd, void *tls, const void *bytes, size_t count) {
    if (tls != NULL) {
        ERR_clear_error();
        size_t done = 0;
        int result = SSL_write_ex(tls, bytes, count, &done);
        return result == 1 ? (long)done : tls_result(tls, result);
    }
    ssize_t done = send(fd, bytes, count, MSG_NOSIGNAL);
    if (done >= 0) return done;
    return errno == EAGAIN || errno == EINTR ? KF_REDIS_WANTS_WRITE : -1;
}

void *kf_redis_tls_new(int fd, const char *host, const char *ca_file, int verifies) {
    // As in CKFCryptoShim: without its cleanup at the exit of the process.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    if (context == NULL) return NULL;
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_verify(context, verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
    int trusts = ca_file != NULL ? SSL_CTX_load_verify_locations(context, ca_file, NULL)
                                 : SSL_CTX_set_default_verify_paths(context);
    SSL *tls = trusts == 1 ? SSL_new(context) : NULL;
    // The session retains the context.
    SSL_CTX_free(context);
    if (tls == NULL) return NULL;
    SSL_set_tlsext_host_name(tls, host);
    X509_VERIFY_PARAM *rules = SSL_get0_param(tls);
    int named = X509_VERIFY_PARAM_set1_ip_asc(rules, host) == 1 ||
                X509_VERIFY_PARAM_set1_host(rules, host, 0) == 1;
    if (!named || SSL_set_fd(tls, fd) != 1) {
        SSL_free(tls);
        return NULL;
    }
    SSL_set_connect_state(tls);
    ERR_clear_error();
    return tls;
}

void kf_redis_tls_free(void *tls) {
    if (tls != NULL) SSL_free(tls);
}

int kf_redis_tls_handshake(void *tls) {
    ERR_clear_error();
    int result = SSL_do_handshake(tls);
    if (result == 1) return 1;
    long wish = tls_result(tls, result);
    return wish == 0 ? -1 : (int)wish;
}

void kf_redis_tls_error(void *tls, char *text, size_t count) {
    long verification = tls != NULL ? SSL_get_verify_result(tls) : X509_V_OK;
    unsigned long error = ERR_peek_last_error();
    const char *reason = verification != X509_V_OK ? X509_verify_cert_error_string(verification)
                         : error != 0              ? ERR_reason_error_string(error)
                                                   : NULL;
    snprintf(text, count, "%s", reason != NULL ? reason : "the connection was closed");
}

int kf_redis_event_new(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void kf_redis_block_broken_pipe_signal(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}
#endif

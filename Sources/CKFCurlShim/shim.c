#define _GNU_SOURCE
#include "CKFCurlShim.h"

#include <dlfcn.h>
#include <errno.h>
// Not netinet/tcp.h, whose structure ends before the bytes that have arrived.
#include <linux/tcp.h>
#include <malloc.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

_Static_assert(kf_curl_auth_basic == CURLAUTH_BASIC, "basic");
_Static_assert(kf_curl_auth_digest == CURLAUTH_DIGEST, "digest");
_Static_assert(kf_curl_pause_receiving == CURLPAUSE_RECV, "pause");
_Static_assert(kf_curl_pause_none == CURLPAUSE_CONT, "continue");
_Static_assert(kf_curl_write_pause == CURL_WRITEFUNC_PAUSE, "write pause");
_Static_assert(kf_curl_socket_bad == CURL_SOCKET_BAD, "bad socket");
_Static_assert(kf_curl_http_1_1 == CURL_HTTP_VERSION_1_1, "HTTP/1.1");
_Static_assert(
    kf_curl_altsvc_all == (CURLALTSVC_H1 | CURLALTSVC_H2 | CURLALTSVC_H3), "alternatives");
_Static_assert(kf_curl_feature_altsvc == CURL_VERSION_ALTSVC, "feature of alternatives");
_Static_assert(kf_curl_feature_http3 == CURL_VERSION_HTTP3, "feature of HTTP/3");

CURLcode kf_curl_set_up(void) {
    // Looked up at run time, because libcurl may use another library. The flag is
    // OPENSSL_INIT_NO_ATEXIT.
    int (*set_up_openssl)(uint64_t, const void *) =
        (int (*)(uint64_t, const void *))dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
    if (set_up_openssl) set_up_openssl(0x00080000, NULL);
    return curl_global_init(CURL_GLOBAL_ALL);
}

CURLcode kf_curl_setopt_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode kf_curl_setopt_off(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode kf_curl_setopt_pointer(CURL *handle, CURLoption option, const void *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode kf_curl_setopt_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

CURLcode kf_curl_getinfo_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLcode kf_curl_getinfo_off(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLcode kf_curl_getinfo_string(CURL *handle, CURLINFO info, const char **value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLcode kf_curl_getinfo_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}

CURLMcode kf_curl_multi_setopt_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURLSH *kf_curl_share_tls_sessions(void) {
    CURLSH *share = curl_share_init();
    if (share) curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    return share;
}

void kf_curl_set_callbacks(
    CURL *handle,
    void *context,
    curl_write_callback header,
    curl_write_callback write,
    curl_opensocket_callback opensocket,
    curl_prereq_callback prereq
) {
    curl_easy_setopt(handle, CURLOPT_PRIVATE, context);
    curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, write);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETDATA, context);
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, opensocket);
    curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
    curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, prereq);
}

CURLcode kf_curl_restrict_protocols(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
}

void kf_curl_set_quick_exit(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
#endif
}

curl_socket_t kf_curl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

void kf_curl_observe_closing(CURL *handle, void *context, curl_closesocket_callback closing) {
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETDATA, context);
    curl_easy_setopt(handle, CURLOPT_CLOSESOCKETFUNCTION, closing);
}

int kf_curl_close_socket(curl_socket_t socket) {
    return close(socket);
}

void kf_curl_end_socket(curl_socket_t socket) {
    shutdown(socket, SHUT_RDWR);
}

void kf_curl_limit_acknowledgement(curl_socket_t socket, unsigned milliseconds) {
    setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

long kf_curl_socket_silence(curl_socket_t socket) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    return info.tcpi_last_data_recv;
}

long long kf_curl_socket_input(curl_socket_t socket) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    int unread = 0;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0 ||
        ioctl(socket, FIONREAD, &unread) != 0)
        return -1;
    return (long long)info.tcpi_bytes_received - unread;
}

int kf_curl_restrict_input(curl_socket_t socket) {
    // The system doubles it, for its own use.
    int size = 4 << 10;
    return setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size) == 0;
}

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 sixteen;
} any_address;

static int has_same_host(const any_address *a, const any_address *b) {
    if (a->any.sa_family != b->any.sa_family) return 0;
    if (a->any.sa_family == AF_INET)
        return a->four.sin_addr.s_addr == b->four.sin_addr.s_addr;
    return memcmp(&a->sixteen.sin6_addr, &b->sixteen.sin6_addr, 16) == 0;
}

static int is_loopback(const any_address *address) {
    if (address->any.sa_family == AF_INET)
        return ntohl(address->four.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return IN6_IS_ADDR_LOOPBACK(&address->sixteen.sin6_addr);
}

static int address_exists(any_address address, socklen_t length) {
    int probe = socket(address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return 1;
    // The port is at the same place for both families.
    address.four.sin_port = 0;
    int exists = bind(probe, &address.any, length) == 0 || errno != EADDRNOTAVAIL;
    close(probe);
    return exists;
}

kf_curl_route kf_curl_socket_route(curl_socket_t socket_) {
    any_address own, peer, now;
    socklen_t own_length = sizeof own, peer_length = sizeof peer, now_length = sizeof now;
    if (getsockname(socket_, &own.any, &own_length) != 0 ||
        getpeername(socket_, &peer.any, &peer_length) != 0 ||
        (own.any.sa_family != AF_INET && own.any.sa_family != AF_INET6) || is_loopback(&peer))
        return kf_curl_route_local;
    if (!address_exists(own, own_length)) return kf_curl_route_lost;
    // Connecting a datagram socket chooses a route without sending anything.
    int probe = socket(peer.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return kf_curl_route_kept;
    int is_kept = connect(probe, &peer.any, peer_length) == 0 &&
        getsockname(probe, &now.any, &now_length) == 0 && has_same_host(&own, &now);
    close(probe);
    return is_kept ? kf_curl_route_kept : kf_curl_route_moved;
}

int kf_curl_socket_port(curl_socket_t socket) {
    any_address address;
    socklen_t length = sizeof address;
    if (getsockname(socket, &address.any, &length) != 0) return 0;
    switch (address.any.sa_family) {
    case AF_INET: return ntohs(address.four.sin_port);
    case AF_INET6: return ntohs(address.sixteen.sin6_port);
    default: return 0;
    }
}

int kf_curl_socket_has_input(curl_socket_t socket) {
    char byte;
    ssize_t count = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

void kf_release_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

int kf_curl_address_bytes(const struct curl_sockaddr *address, unsigned char *bytes) {
    // Copied: the address is a union with the alignment of its smallest member.
    if (address->family == AF_INET && address->addrlen >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in four;
        memcpy(&four, &address->addr, sizeof four);
        memcpy(bytes, &four.sin_addr, 4);
        return 4;
    }
    if (address->family == AF_INET6 && address->addrlen >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 sixteen;
        memcpy(&sixteen, &address->addr, sizeof sixteen);
        memcpy(bytes, &sixteen.sin6_addr, 16);
        return 16;
    }
    return 0;
}

int kf_curl_bell_open(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

// Errors can be ignored: they only mean that the bell is already in that state.
void kf_curl_bell_ring(int bell) {
    eventfd_write(bell, 1);
}

void kf_curl_bell_quiet(int bell) {
    eventfd_t count;
    eventfd_read(bell, &count);
}

CURLcode kf_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}

#pragma once
#include <curl/curl.h>

#include "kf_coding.h"
#include "kf_trust.h"

// Initializes libcurl. Call it once per process, before any other function.
//
// If libcurl uses OpenSSL, OpenSSL's cleanup at process exit is disabled: a thread that ends at
// that moment would free the same memory.
CURLcode kf_curl_set_up(void);

// libcurl's variadic functions are not available in Swift: one typed wrapper each.
CURLcode kf_curl_setopt_long(CURL *handle, CURLoption option, long value);
CURLcode kf_curl_setopt_off(CURL *handle, CURLoption option, curl_off_t value);
CURLcode kf_curl_setopt_pointer(CURL *handle, CURLoption option, const void *value);
CURLcode kf_curl_setopt_string(CURL *handle, CURLoption option, const char *value);

CURLcode kf_curl_getinfo_long(CURL *handle, CURLINFO info, long *value);
CURLcode kf_curl_getinfo_off(CURL *handle, CURLINFO info, curl_off_t *value);
// The text belongs to the handle: copy it before the handle is used again.
CURLcode kf_curl_getinfo_string(CURL *handle, CURLINFO info, const char **value);
CURLcode kf_curl_getinfo_pointer(CURL *handle, CURLINFO info, void **value);

CURLMcode kf_curl_multi_setopt_long(CURLM *multi, CURLMoption option, long value);

// A TLS session cache shared by the handles that use it. It has no lock: only one thread may use
// these handles. NULL if memory cannot be allocated.
CURLSH *kf_curl_share_tls_sessions(void);

// Sets all callbacks of a handle; each receives `context` as its client pointer.
void kf_curl_set_callbacks(
    CURL *handle,
    void *context,
    curl_write_callback header,
    curl_write_callback write,
    curl_opensocket_callback opensocket,
    curl_prereq_callback prereq
);

// Restricts a handle to http and https, by the option that this libcurl version supports.
CURLcode kf_curl_restrict_protocols(CURL *handle);

// Allows a transfer to be removed during name resolution without waiting for the resolver's thread.
// No effect before libcurl 7.87, where the removal waits for the name server.
void kf_curl_set_quick_exit(CURL *handle);

// Opens a socket for a connection of libcurl; child processes do not inherit it.
curl_socket_t kf_curl_open_socket(const struct curl_sockaddr *address);

// Makes a handle's connections report that a socket is to be closed.
void kf_curl_observe_closing(CURL *handle, void *context, curl_closesocket_callback closing);
int kf_curl_close_socket(curl_socket_t socket);

// Ends the connection of a socket, which stays open: libcurl finds its end when it reads.
void kf_curl_end_socket(curl_socket_t socket);

// Ends a TCP connection when sent bytes were not acknowledged for this time. No effect on others.
void kf_curl_limit_acknowledgement(curl_socket_t socket, unsigned milliseconds);

// The milliseconds since bytes last arrived on a TCP connection; -1 for other sockets.
long kf_curl_socket_silence(curl_socket_t socket);

// The bytes that have been read from a TCP connection; -1 for other sockets.
long long kf_curl_socket_input(curl_socket_t socket);

// Makes the system keep at most 8 KiB of unread bytes of a connection. Returns whether it does.
int kf_curl_restrict_input(curl_socket_t socket);

// How the machine would reach the peer of a socket now.
typedef enum {
    // Through the machine itself, or the socket has no route.
    kf_curl_route_local,
    // From the address that the socket has.
    kf_curl_route_kept,
    // From another address, or not at all.
    kf_curl_route_moved,
    // The machine no longer has the address of the socket.
    kf_curl_route_lost,
} kf_curl_route;

kf_curl_route kf_curl_socket_route(curl_socket_t socket);

// The local port of a socket; 0 if it has none.
int kf_curl_socket_port(curl_socket_t socket);

// Whether bytes, the end of the connection, or an error wait to be read.
int kf_curl_socket_has_input(curl_socket_t socket);

// Copies the IP address in network order to `bytes` (room for 16) and returns its length: 4 or 16,
// or 0 for another family.
int kf_curl_address_bytes(const struct curl_sockaddr *address, unsigned char *bytes);

// An event descriptor that is readable from kf_curl_bell_ring until kf_curl_bell_quiet; -1 if it
// cannot be created. Close it with close().
int kf_curl_bell_open(void);
void kf_curl_bell_ring(int bell);
void kf_curl_bell_quiet(int bell);

// Returns freed memory, which the allocator keeps, to the system. No effect without glibc.
void kf_release_memory(void);

// The result in a message of kind CURLMSG_DONE.
CURLcode kf_curl_message_result(const CURLMsg *message);

// Macros with casts that Swift cannot import.
enum {
    kf_curl_auth_basic = 1,
    kf_curl_auth_digest = 2,
    kf_curl_pause_receiving = 1,
    kf_curl_pause_none = 0,
    kf_curl_write_pause = 0x10000001,
    kf_curl_socket_bad = -1,
    kf_curl_http_1_1 = 2,
    // HTTP/1.1, 2 and 3, and no file that is only read.
    kf_curl_altsvc_all = 1 << 3 | 1 << 4 | 1 << 5,
    kf_curl_feature_altsvc = 1 << 24,
    kf_curl_feature_http3 = 1 << 25,
};

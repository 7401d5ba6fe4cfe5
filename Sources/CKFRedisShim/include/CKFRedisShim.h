#pragma once

#include <stddef.h>
#include <stdint.h>

// Replies of a Redis server, parsed by hiredis, and connections to it. Empty without the trait.

enum {
    KF_REDIS_WANTS_READ = -2,
    KF_REDIS_WANTS_WRITE = -3,
};

enum kf_redis_type {
    KF_REDIS_NIL,
    KF_REDIS_STATUS,
    KF_REDIS_BYTES,
    KF_REDIS_INTEGER,
    KF_REDIS_LIST,
    KF_REDIS_ERROR,
    KF_REDIS_OTHER,
};

/// Returns a parser that refuses lists of more than 65,536 elements; NULL without memory.
void *kf_redis_reader_new(void);
void kf_redis_reader_free(void *reader);

/// Adds received bytes; -1 on failure.
int kf_redis_reader_feed(void *reader, const void *bytes, size_t count);

/// Returns 1 and a reply that the caller frees, 0 if it is incomplete, -1 if it is invalid.
int kf_redis_reader_next(void *reader, void **reply);

void kf_redis_reply_free(void *reply);
enum kf_redis_type kf_redis_reply_type(const void *reply);
int64_t kf_redis_reply_integer(const void *reply);

/// The bytes of a status, error or string; NULL for other replies.
const void *kf_redis_reply_bytes(const void *reply, size_t *count);

/// The number of elements of a list; 0 for other replies.
size_t kf_redis_reply_count(const void *reply);
const void *kf_redis_reply_element(const void *reply, size_t index);

/// Starts connecting a non-blocking socket to an address of a host; resolving its name blocks.
///
/// @param attempt Selects among several addresses.
/// @return A descriptor, or minus an error of `getaddrinfo` (10,000 and more) or of the system.
int kf_redis_connect(const char *host, const char *port, unsigned attempt);

/// Starts connecting a non-blocking socket to a path.
int kf_redis_connect_path(const char *path);

/// The text of a negative result of the functions above.
const char *kf_redis_connect_error(int result);

/// The pending error of a socket after connecting; 0 for none.
int kf_redis_socket_error(int fd);

/// Returns the number of bytes, 0 at the end, -1 on failure, or a wish to wait.
long kf_redis_receive(int fd, void *tls, void *bytes, size_t count);
long kf_redis_send(int fd, void *tls, const void *bytes, size_t count);

/// Returns a TLS session over a connected socket; NULL on failure.
///
/// @param ca_file Trusted certificates in place of the system's; NULL for these.
/// @param verifies Whether the server's certificate must be valid for the host.
void *kf_redis_tls_new(int fd, const char *host, const char *ca_file, int verifies);
void kf_redis_tls_free(void *tls);

/// Continues the handshake: 1 when done, -1 on failure, or a wish to wait.
int kf_redis_tls_handshake(void *tls);

/// Copies the reason of the last TLS failure of this thread.
void kf_redis_tls_error(void *tls, char *text, size_t count);

/// Returns a non-blocking event descriptor; -1 on failure.
int kf_redis_event_new(void);

/// Keeps writes to closed connections from ending the process, for the calling thread.
void kf_redis_block_broken_pipe_signal(void);

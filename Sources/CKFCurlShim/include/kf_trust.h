#pragma once
#include <curl/curl.h>

// Checks a server's certificates by OpenSSL's verification and an earlier decision of the caller.
//
// It holds only copies, so that a TLS context may outlive the caller: a server can request another
// handshake while its connection is open. A check and all its contexts must be used on one thread.
typedef struct kf_trust kf_trust;

// Creates a check for a host; NULL if memory cannot be allocated.
//
// `approved` is the DER-encoded certificate that the server must present. If it is NULL, every
// server is rejected and its certificates are recorded. With `accepts_untrusted`, a match is
// sufficient; otherwise the certificate must also be valid.
kf_trust *kf_trust_new(
    const char *host,
    const unsigned char *approved,
    size_t length,
    int accepts_untrusted
);
// Releases the caller's reference. The check is freed with the last TLS context that uses it.
void kf_trust_release(kf_trust *trust);

// Makes the check decide about a handle's handshakes. The handle must not outlive the caller's
// reference to the check. Returns CURLE_NOT_BUILT_IN if libcurl does not use OpenSSL 3.
CURLcode kf_curl_set_trust(CURL *handle, kf_trust *trust);

// Whether libcurl uses OpenSSL 3, so that connections can be watched and certificates decided about.
int kf_curl_watches_connections(void);

// Watches the connection that a handle opens. No effect if libcurl does not use OpenSSL 3.
//
// An end without TLS's close_notify is an error of the transfer, unless the body has a length. After
// 64 KiB and 4 ms of a round, nothing more can be read in it, so that no server keeps the thread.
void kf_curl_watch_connection(CURL *handle);

// Begins a round of the loop on the current thread, which performs all its transfers.
void kf_curl_begin_round(void);

// Whether the handle's current connection uses HTTP/2; 0 if unknown.
int kf_curl_uses_http2(CURL *handle);

// The number of certificates in the last handshake's chain, as far as it could be built; the
// server's own certificate is the first.
int kf_trust_count(const kf_trust *trust);
const unsigned char *kf_trust_certificate(const kf_trust *trust, int index, size_t *length);
// The certificate's SubjectPublicKeyInfo in DER (RFC 5280, 4.1.2.7).
const unsigned char *kf_trust_public_key(const kf_trust *trust, int index, size_t *length);
// An X509_V_ERR code of openssl-verification-options(1); 0 if the chain is valid.
int kf_trust_error(const kf_trust *trust);
// Whether the server's certificate matches the host.
int kf_trust_is_for_host(const kf_trust *trust);

// Sets an option to bytes, which libcurl copies.
CURLcode kf_curl_setopt_blob(CURL *handle, CURLoption option, const void *bytes, size_t length);

#pragma once
#include <curl/curl.h>

// A check of the certificates that a server shows, by OpenSSL's own verification and by what was
// decided about them before.
//
// It holds copies alone, so that a TLS context may outlive whoever made it: a server can ask for
// another handshake as long as its connection is open. All contexts of a check, and the check itself,
// are used on one thread.
typedef struct kf_trust kf_trust;

// Makes a check for a host; NULL without memory.
//
// `approved` is the encoded (DER) certificate that the server must show, or NULL: then every server is
// refused, and its certificates are noted. With `accepts_untrusted` that certificate is enough;
// otherwise it must be valid, too.
kf_trust *kf_trust_new(
    const char *host,
    const unsigned char *approved,
    size_t length,
    int accepts_untrusted
);
// Frees the check once the last TLS context is gone, too.
void kf_trust_release(kf_trust *trust);

// Lets the check decide about the handshakes of a handle, which must not outlive the caller's hold on
// the check. Fails with CURLE_NOT_BUILT_IN where libcurl does not use OpenSSL.
CURLcode kf_curl_set_trust(CURL *handle, kf_trust *trust);

// What the last handshake showed: the chain as far as it could be built, the server's own
// certificate first.
int kf_trust_count(const kf_trust *trust);
const unsigned char *kf_trust_certificate(const kf_trust *trust, int index, size_t *length);
// The certificate's SubjectPublicKeyInfo in DER (RFC 5280, 4.1.2.7).
const unsigned char *kf_trust_public_key(const kf_trust *trust, int index, size_t *length);
// An X509_V_ERR of openssl-verification-options(1), 0 if the chain is valid.
int kf_trust_error(const kf_trust *trust);
// Whether the server's certificate is for the host.
int kf_trust_is_for_host(const kf_trust *trust);

// Sets an option to bytes, which libcurl copies.
CURLcode kf_curl_setopt_blob(CURL *handle, CURLoption option, const void *bytes, size_t length);

#include "kf_trust.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Real chains have 2 to 5.
enum { most_certificates = 16 };

typedef struct {
    unsigned char *bytes;
    size_t length;
} encoding;

struct kf_trust {
    int holders;
    char *host;
    encoding approved;
    int accepts_untrusted;

    encoding certificates[most_certificates];
    encoding keys[most_certificates];
    int count;
    int error;
    int is_for_host;
};

static void forget_chain(kf_trust *trust) {
    for (int i = 0; i < trust->count; i++) {
        OPENSSL_free(trust->certificates[i].bytes);
        OPENSSL_free(trust->keys[i].bytes);
    }
    trust->count = 0;
}

kf_trust *kf_trust_new(
    const char *host,
    const unsigned char *approved,
    size_t length,
    int accepts_untrusted
) {
    kf_trust *trust = calloc(1, sizeof *trust);
    if (!trust) return NULL;
    trust->holders = 1;
    trust->accepts_untrusted = accepts_untrusted;
    trust->error = X509_V_ERR_UNSPECIFIED;
    trust->host = strdup(host);
    if (approved) {
        trust->approved.bytes = malloc(length + 1);
        trust->approved.length = length;
        if (trust->approved.bytes) memcpy(trust->approved.bytes, approved, length);
    }
    if (trust->host && (!approved || trust->approved.bytes)) return trust;
    kf_trust_release(trust);
    return NULL;
}

void kf_trust_release(kf_trust *trust) {
    if (--trust->holders > 0) return;
    forget_chain(trust);
    free(trust->approved.bytes);
    free(trust->host);
    free(trust);
}

static void note_chain(kf_trust *trust, X509_STORE_CTX *store) {
    forget_chain(trust);
    STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(store);
    int count = chain ? sk_X509_num(chain) : 0;
    for (int i = 0; i < count && i < most_certificates; i++) {
        X509 *certificate = sk_X509_value(chain, i);
        encoding whole = {0}, key = {0};
        int length = i2d_X509(certificate, &whole.bytes);
        int key_length = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &key.bytes);
        if (length <= 0 || key_length <= 0) {
            OPENSSL_free(whole.bytes);
            OPENSSL_free(key.bytes);
            return;
        }
        whole.length = (size_t)length;
        key.length = (size_t)key_length;
        trust->certificates[trust->count] = whole;
        trust->keys[trust->count] = key;
        trust->count++;
    }
}

static int shows_approved(const kf_trust *trust) {
    const encoding *shown = &trust->certificates[0], *approved = &trust->approved;
    return trust->count > 0 && approved->bytes && shown->length == approved->length &&
        memcmp(shown->bytes, approved->bytes, approved->length) == 0;
}

static int verify(X509_STORE_CTX *store, void *context) {
    kf_trust *trust = context;
    int is_valid = X509_verify_cert(store) > 0;
    int error = X509_STORE_CTX_get_error(store);
    trust->error = is_valid ? X509_V_OK : error != X509_V_OK ? error : X509_V_ERR_UNSPECIFIED;
    X509 *own = X509_STORE_CTX_get0_cert(store);
    trust->is_for_host = own && (X509_check_host(own, trust->host, 0, 0, NULL) == 1 ||
                                 X509_check_ip_asc(own, trust->host, 0) == 1);
    note_chain(trust, store);
    if (shows_approved(trust) && (is_valid || trust->accepts_untrusted)) {
        // libcurl reads the error again after the handshake.
        X509_STORE_CTX_set_error(store, X509_V_OK);
        return 1;
    }
    X509_STORE_CTX_set_error(
        store, is_valid ? X509_V_ERR_APPLICATION_VERIFICATION : trust->error);
    return 0;
}

static void context_freed(
    void *parent,
    void *trust,
    CRYPTO_EX_DATA *data,
    int index,
    long number,
    void *argument
) {
    (void)parent, (void)data, (void)index, (void)number, (void)argument;
    if (trust) kf_trust_release(trust);
}

static int slot = -1;

static void make_slot(void) {
    slot = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, context_freed);
}

enum {
    // As long as the loop lets transfers go on in one round.
    round_milliseconds = 4,
    // A connection that has to wait has at least had these bytes: some TLS records.
    least_share = 64 << 10,
};

// The current round of the loop that runs on this thread.
static _Thread_local struct {
    struct timespec start;
    // The connection that was read last, and the bytes of it.
    const BIO *connection;
    size_t bytes;
    // The BIO that is being read.
    BIO *reader;
} round_of_loop;

void kf_curl_begin_round(void) {
    clock_gettime(CLOCK_MONOTONIC, &round_of_loop.start);
    round_of_loop.connection = NULL;
    round_of_loop.reader = NULL;
}

static int is_round_long(void) {
    struct timespec now, start = round_of_loop.start;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long seconds = now.tv_sec - start.tv_sec;
    return seconds * 1000L + (now.tv_nsec - start.tv_nsec) / 1000000 >= round_milliseconds;
}

// Marks a BIO that reads another one: a connection through a proxy with TLS.
static char is_nested;

static int reads_socket(BIO *bio) { return BIO_get_callback_arg(bio) != &is_nested; }

// Whether a read is refused until the next round.
//
// Only a read of the socket is. The layers above it read when they have nothing left, and libcurl
// reads again because the socket still has input; nothing would wake it for bytes above the socket.
static int is_refused(BIO *bio) {
    if (bio != round_of_loop.connection || round_of_loop.bytes < least_share || !is_round_long())
        return 0;
    BIO_clear_retry_flags(bio);
    BIO_set_retry_read(bio);
    return 1;
}

static void begin_read(BIO *bio) {
    if (round_of_loop.reader) BIO_set_callback_arg(round_of_loop.reader, &is_nested);
    round_of_loop.reader = bio;
}

static void end_read(BIO *bio, size_t count) {
    round_of_loop.reader = NULL;
    if (!reads_socket(bio)) return;
    if (bio != round_of_loop.connection) {
        round_of_loop.connection = bio;
        round_of_loop.bytes = 0;
    }
    round_of_loop.bytes += count;
}

// Watches the reads of a connection, for two faults.
//
// Newer libcurl reads through a BIO of its own that does not report its end (seen in 7.88.1). Then
// OpenSSL does not take the end of the connection for an error.
//
// libcurl reads frames of HTTP/2 that carry nothing for a transfer until none is left, without
// calling back. While a server sends them faster than they are read, that never ends, and all other
// transfers stand still.
static long watch_reads(
    BIO *bio,
    int operation,
    const char *bytes,
    size_t length,
    int command,
    long argument,
    int result,
    size_t *processed
) {
    (void)bytes, (void)length, (void)argument;
    switch (operation) {
    case BIO_CB_READ:
        begin_read(bio);
        if (!is_refused(bio)) return result;
        round_of_loop.reader = NULL;
        return -1;
    case BIO_CB_READ | BIO_CB_RETURN:
        end_read(bio, result > 0 && processed ? *processed : 0);
        return result;
    case BIO_CB_CTRL | BIO_CB_RETURN:
        // OpenSSL asks only after a read that returned no bytes and is not to be repeated.
        return command == BIO_CTRL_EOF ? 1 : result;
    default:
        return result;
    }
}

// The BIO does not exist yet when the context is made.
static void handshake_event(const SSL *session, int event, int value) {
    (void)value;
    if (!(event & SSL_CB_HANDSHAKE_DONE)) return;
    BIO *bio = SSL_get_rbio(session);
    if (bio) BIO_set_callback_ex(bio, watch_reads);
}

// A body without a length must not look complete because an attacker, or a broken network, has cut
// the connection: only the peer's close_notify ends it.
static void watch(SSL_CTX *context) {
#ifdef SSL_OP_IGNORE_UNEXPECTED_EOF
    SSL_CTX_clear_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_info_callback(context, handshake_event);
#else
    (void)context;
#endif
}

static CURLcode plain_context_made(CURL *handle, void *context, void *argument) {
    (void)handle, (void)argument;
    watch(context);
    return CURLE_OK;
}

static int is_openssl_3(void) {
    const char *library = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return library && strncmp(library, "OpenSSL/3", 9) == 0;
}

int kf_curl_watches_connections(void) {
    return is_openssl_3();
}

void kf_curl_watch_connection(CURL *handle) {
    if (is_openssl_3()) curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, plain_context_made);
}

int kf_curl_uses_http2(CURL *handle) {
    struct curl_tlssessioninfo *session = NULL;
    if (!is_openssl_3() || curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK ||
        !session || !session->internals)
        return 0;
    const unsigned char *name = NULL;
    unsigned length = 0;
    SSL_get0_alpn_selected(session->internals, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}

static CURLcode context_made(CURL *handle, void *context, void *argument) {
    (void)handle;
    kf_trust *trust = argument;
    if (!SSL_CTX_set_ex_data(context, slot, trust)) return CURLE_OUT_OF_MEMORY;
    trust->holders++;
    SSL_CTX_set_cert_verify_callback(context, verify, trust);
    watch(context);
    return CURLE_OK;
}

CURLcode kf_curl_set_trust(CURL *handle, kf_trust *trust) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_slot);
    if (slot < 0 || !is_openssl_3()) return CURLE_NOT_BUILT_IN;
    CURLcode code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_FUNCTION, context_made);
    if (code == CURLE_OK) code = curl_easy_setopt(handle, CURLOPT_SSL_CTX_DATA, trust);
    return code;
}

int kf_trust_count(const kf_trust *trust) { return trust->count; }

const unsigned char *kf_trust_certificate(const kf_trust *trust, int index, size_t *length) {
    *length = trust->certificates[index].length;
    return trust->certificates[index].bytes;
}

const unsigned char *kf_trust_public_key(const kf_trust *trust, int index, size_t *length) {
    *length = trust->keys[index].length;
    return trust->keys[index].bytes;
}

int kf_trust_error(const kf_trust *trust) { return trust->error; }

int kf_trust_is_for_host(const kf_trust *trust) { return trust->is_for_host; }

CURLcode kf_curl_setopt_blob(CURL *handle, CURLoption option, const void *bytes, size_t length) {
    struct curl_blob blob = {(void *)bytes, length, CURL_BLOB_COPY};
    return curl_easy_setopt(handle, option, &blob);
}

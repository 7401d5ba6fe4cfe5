#include "CKFCryptoShim.h"

#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <pthread.h>

static const EVP_MD *algorithm;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_up_once(void) {
    // Without its cleanup at the exit of the process: a thread that hashes, or ends, at that moment
    // would use or free the same memory. The first call in a process decides.
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
    // Fetched once: otherwise OpenSSL 3 searches its providers in every call, which takes longer
    // than hashing a URL.
    algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    if (algorithm == NULL) algorithm = EVP_sha256();
}

// Called by every function that is called first by its users.
static void set_up(void) { pthread_once(&once, set_up_once); }

static const EVP_MD *sha256(void) {
    set_up();
    return algorithm;
}

int kf_sha256(const void *bytes, size_t length, uint8_t digest[KF_SHA256_BYTES]) {
    return EVP_Digest(bytes, length, digest, NULL, sha256(), NULL) == 1;
}

void *kf_sha256_new(void) {
    set_up();
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    if (context != NULL && EVP_DigestInit_ex(context, sha256(), NULL) != 1) {
        EVP_MD_CTX_free(context);
        return NULL;
    }
    return context;
}

int kf_sha256_update(void *hasher, const void *bytes, size_t length) {
    return EVP_DigestUpdate(hasher, bytes, length) == 1;
}

int kf_sha256_final(void *hasher, uint8_t digest[KF_SHA256_BYTES]) {
    return EVP_DigestFinal_ex(hasher, digest, NULL) == 1;
}

void kf_sha256_free(void *hasher) { EVP_MD_CTX_free(hasher); }

static const EVP_CIPHER *cipher_for(size_t key_length) {
    set_up();
    switch (key_length) {
    case 16: return EVP_aes_128_gcm();
    case 24: return EVP_aes_192_gcm();
    case 32: return EVP_aes_256_gcm();
    default: return NULL;
    }
}

// The calls below take lengths as int.
static int fits(size_t length) { return length <= INT_MAX; }

int kf_gcm_seal(
    const uint8_t *key,
    size_t key_length,
    const void *bound,
    size_t bound_length,
    const uint8_t *bytes,
    size_t length,
    uint8_t *sealed) {
    const EVP_CIPHER *cipher = cipher_for(key_length);
    if (cipher == NULL || !fits(bound_length) || !fits(length)) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return 0;
    uint8_t *nonce = sealed;
    uint8_t *text = sealed + KF_GCM_NONCE_BYTES;
    uint8_t *tag = text + length;
    int written = 0;
    int succeeded =
        RAND_bytes(nonce, KF_GCM_NONCE_BYTES) == 1
        && EVP_EncryptInit_ex2(context, cipher, key, nonce, NULL) == 1
        && (bound_length == 0
            || EVP_EncryptUpdate(context, NULL, &written, bound, (int)bound_length) == 1)
        && (length == 0 || EVP_EncryptUpdate(context, text, &written, bytes, (int)length) == 1)
        && EVP_EncryptFinal_ex(context, tag, &written) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, KF_GCM_TAG_BYTES, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    return succeeded;
}

int kf_gcm_open(
    const uint8_t *key,
    size_t key_length,
    const void *bound,
    size_t bound_length,
    const uint8_t *sealed,
    size_t sealed_length,
    uint8_t *bytes) {
    const EVP_CIPHER *cipher = cipher_for(key_length);
    if (cipher == NULL || sealed_length < KF_GCM_NONCE_BYTES + KF_GCM_TAG_BYTES
        || !fits(sealed_length) || !fits(bound_length)) {
        return 0;
    }
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return 0;
    size_t length = sealed_length - KF_GCM_NONCE_BYTES - KF_GCM_TAG_BYTES;
    const uint8_t *text = sealed + KF_GCM_NONCE_BYTES;
    // The call takes the tag as writable memory but only reads it.
    void *tag = (void *)(text + length);
    uint8_t none;
    int written = 0;
    int succeeded =
        EVP_DecryptInit_ex2(context, cipher, key, sealed, NULL) == 1
        && (bound_length == 0
            || EVP_DecryptUpdate(context, NULL, &written, bound, (int)bound_length) == 1)
        && (length == 0 || EVP_DecryptUpdate(context, bytes, &written, text, (int)length) == 1)
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, KF_GCM_TAG_BYTES, tag) == 1
        && EVP_DecryptFinal_ex(context, &none, &written) == 1;
    EVP_CIPHER_CTX_free(context);
    return succeeded;
}

// The key, the nonce of all fingerprints, and whether there were random numbers for them. One nonce
// is enough for values that stay secret.
static uint8_t fingerprint_key[16];
static uint8_t fingerprint_nonce[KF_GCM_NONCE_BYTES];
static int has_fingerprint_key;
static pthread_once_t fingerprint_once = PTHREAD_ONCE_INIT;

static void make_fingerprint_key(void) {
    set_up();
    has_fingerprint_key = RAND_bytes(fingerprint_key, sizeof fingerprint_key) == 1
                          && RAND_bytes(fingerprint_nonce, sizeof fingerprint_nonce) == 1;
}

int kf_fingerprint(const void *bytes, size_t length, uint8_t fingerprint[KF_FINGERPRINT_BYTES]) {
    pthread_once(&fingerprint_once, make_fingerprint_key);
    if (!has_fingerprint_key || !fits(length)) return 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (context == NULL) return 0;
    int written = 0;
    int succeeded =
        EVP_EncryptInit_ex2(
            context, EVP_aes_128_gcm(), fingerprint_key, fingerprint_nonce, NULL) == 1
        && (length == 0 || EVP_EncryptUpdate(context, NULL, &written, bytes, (int)length) == 1)
        && EVP_EncryptFinal_ex(context, fingerprint, &written) == 1
        && EVP_CIPHER_CTX_ctrl(
               context, EVP_CTRL_AEAD_GET_TAG, KF_FINGERPRINT_BYTES, fingerprint) == 1;
    EVP_CIPHER_CTX_free(context);
    return succeeded;
}

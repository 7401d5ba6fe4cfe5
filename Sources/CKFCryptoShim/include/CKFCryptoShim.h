#pragma once
#include <stddef.h>
#include <stdint.h>

// SHA-256 and AES-GCM by libcrypto (OpenSSL 3), without exposing its types to Swift.
//
// Functions that return int return 1 for success and 0 for failure. After a failure the contents of
// the output are unspecified.

enum {
    KF_SHA256_BYTES = 32,
    KF_GCM_NONCE_BYTES = 12,
    KF_GCM_TAG_BYTES = 16,
    KF_FINGERPRINT_BYTES = 16,
};

// The digest of `length` bytes, in one call.
int kf_sha256(const void *bytes, size_t length, uint8_t digest[KF_SHA256_BYTES]);

// A digest that is fed in parts. NULL if memory cannot be allocated.
void *kf_sha256_new(void);
int kf_sha256_update(void *hasher, const void *bytes, size_t length);
// Writes the digest. The hasher must not be updated afterwards.
int kf_sha256_final(void *hasher, uint8_t digest[KF_SHA256_BYTES]);
void kf_sha256_free(void *hasher);

// Encrypts `length` bytes with a key of 16, 24 or 32 bytes. `sealed` receives a random nonce of 12
// bytes, the ciphertext and the tag of 16 bytes: `length` + 28 bytes. `bound` is authenticated, not
// encrypted.
int kf_gcm_seal(
    const uint8_t *key,
    size_t key_length,
    const void *bound,
    size_t bound_length,
    const uint8_t *bytes,
    size_t length,
    uint8_t *sealed);

// Decrypts the output of kf_gcm_seal. `bytes` receives `sealed_length` - 28 bytes. Fails if the key
// or `bound` differs or a byte was changed; `bytes` must not be used then.
int kf_gcm_open(
    const uint8_t *key,
    size_t key_length,
    const void *bound,
    size_t bound_length,
    const uint8_t *sealed,
    size_t sealed_length,
    uint8_t *bytes);

// GMAC (NIST SP 800-38D) of `length` bytes, less than 2 GiB, under a random key of this process.
// Different bytes have the same fingerprint with a probability below 2^-96, even if an attacker
// chooses them, as long as no fingerprint leaves the process. Eight times as fast as SHA-256 on
// x86-64.
int kf_fingerprint(const void *bytes, size_t length, uint8_t fingerprint[KF_FINGERPRINT_BYTES]);

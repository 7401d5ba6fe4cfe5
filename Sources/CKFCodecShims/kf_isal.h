#pragma once
// ISA-L inflates two to three times as fast as zlib. It is found at run time, so that a program
// starts without it; its header declares the state that the caller allocates, so a build without
// the header does not look for it. The code around it expects a little-endian processor.

#if __has_include(<isa-l/igzip_lib.h>) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define KF_ISAL 1
#include <isa-l/igzip_lib.h>
#include <stdint.h>

typedef struct kf_isal {
    void (*start)(struct inflate_state *state);
    int (*inflate)(struct inflate_state *state);
    uint32_t (*crc)(uint32_t seed, const unsigned char *bytes, uint64_t count);
    uint32_t (*adler)(uint32_t seed, const unsigned char *bytes, uint64_t count);
} kf_isal;

// The library's functions, or NULL if it is not installed. The first call loads it, which opens
// files.
const kf_isal *kf_isal_load(void);

// Allocates a state; NULL without memory. Release it with free.
struct inflate_state *kf_isal_allocate(void);
#endif

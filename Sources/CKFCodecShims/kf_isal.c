#include "kf_isal.h"

#ifdef KF_ISAL
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The state's layout is part of the binary interface that this name stands for.
static const char name[] = "libisal.so.2";

static kf_isal functions;
static int works;

struct inflate_state *kf_isal_allocate(void) {
    // The margin keeps the trial below harmless if a later library has a larger state.
    return malloc(sizeof(struct inflate_state) + 4096);
}

// Whether the library agrees with the header that this file was compiled with.
static int passes_trial(void) {
    // "aaaaaaaaaaaaaaaaaaaa" as a zlib stream, cut in two.
    static uint8_t stream[] = {0x78, 0x9C, 0x4B, 0x4C, 0xC4, 0x04, 0x00, 0x4F, 0xA6, 0x07, 0x95};
    static const char expected[] = "aaaaaaaaaaaaaaaaaaaa";
    char found[sizeof expected + 8] = {0};
    struct inflate_state *state = kf_isal_allocate();
    if (state == NULL) return 0;
    functions.start(state);
    state->crc_flag = ISAL_ZLIB;
    state->next_out = (uint8_t *)found;
    state->avail_out = sizeof found;
    int passed = 1;
    for (size_t start = 0; start < sizeof stream; start += 6) {
        size_t left = sizeof stream - start;
        state->next_in = stream + start;
        state->avail_in = left < 6 ? (uint32_t)left : 6;
        passed = passed && functions.inflate(state) == ISAL_DECOMP_OK && state->avail_in == 0;
    }
    passed = passed && state->block_state == ISAL_BLOCK_FINISH && state->total_out == 20
        && state->avail_out == sizeof found - 20 && strcmp(found, expected) == 0;
    free(state);
    return passed;
}

static void load(void) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == NULL) return;
    functions.start = (void (*)(struct inflate_state *))dlsym(library, "isal_inflate_init");
    functions.inflate = (int (*)(struct inflate_state *))dlsym(library, "isal_inflate");
    functions.crc = (uint32_t (*)(uint32_t, const unsigned char *, uint64_t))dlsym(
        library, "crc32_gzip_refl");
    functions.adler = (uint32_t (*)(uint32_t, const unsigned char *, uint64_t))dlsym(
        library, "isal_adler32");
    works = functions.start != NULL && functions.inflate != NULL && functions.crc != NULL
        && functions.adler != NULL && passes_trial();
}

const kf_isal *kf_isal_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return works ? &functions : NULL;
}
#endif

// A spy, preloaded with LD_PRELOAD: ends a process that opens a decoder of a C library outside of a
// worker, with status 86 and the calls that led there. Scripts/isolation.sh builds and uses it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { spy_status = 86 };

static int is_worker;
static _Thread_local int permissions;

// The loader hands the arguments of the program over.
__attribute__((constructor)) static void start(int count, char **arguments) {
    static const char mark[] = "--kingfisher-worker-";
    is_worker = count > 1 && strncmp(arguments[1], mark, sizeof mark - 1) == 0;
}

// --- What tests call ---

// Lets the calling thread open decoders, as often as it was called before kf_spy_forbid.
void kf_spy_permit(void) { permissions++; }

void kf_spy_forbid(void) { permissions--; }

// --- Finding the real functions ---

typedef void *lookup(void *library, const char *name);

static lookup *real_dlsym(void) {
    static lookup *found;
    // The versions of glibc since 2.34, and before on x86-64 and arm64.
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (size_t i = 0; found == NULL && i < sizeof versions / sizeof *versions; i++)
        found = (lookup *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return found;
}

static void *next(const char *name) { return real_dlsym()(RTLD_NEXT, name); }

static void watch(const char *name) {
    if (is_worker || permissions > 0) return;
    void *calls[40];
    dprintf(STDERR_FILENO, "error: %s was called outside of a worker process, from\n", name);
    backtrace_symbols_fd(calls, backtrace(calls, 40), STDERR_FILENO);
    _exit(spy_status);
}

// Watched: JPEG, PNG, GIF, WebP, AVIF, JPEG XL, HEIC, TIFF, SVG; BMP and ICO are read without a library.

// --- Libraries that the program is linked with ---

#define WATCHED(type, name, parameters, arguments) \
    type name parameters { \
        watch(#name); \
        static type (*real) parameters; \
        if (real == NULL) real = (type(*) parameters)next(#name); \
        return real arguments; \
    }

WATCHED(void, jpeg_CreateDecompress, (void *info, int version, size_t size), (info, version, size))
WATCHED(void *, png_create_read_struct, (const char *version, void *data, void *error, void *warn),
        (version, data, error, warn))
WATCHED(void *, DGifOpen, (void *data, void *read, int *error), (data, read, error))
WATCHED(int, WebPDecode, (const uint8_t *bytes, size_t count, void *config), (bytes, count, config))
WATCHED(void *, WebPIDecode, (const uint8_t *bytes, size_t count, void *config),
        (bytes, count, config))
WATCHED(void *, libdeflate_alloc_decompressor, (void), ())
WATCHED(void *, cmsOpenProfileFromMem, (const void *bytes, uint32_t count), (bytes, count))

// libwebpmux asks for the size of a frame that it has just encoded.
int WebPGetFeaturesInternal(const uint8_t *bytes, size_t count, void *features, int version) {
    Dl_info caller;
    int is_muxer = dladdr(__builtin_return_address(0), &caller) != 0 && caller.dli_fname != NULL
        && strstr(caller.dli_fname, "libwebpmux") != NULL;
    if (!is_muxer) watch("WebPGetFeatures");
    static int (*real)(const uint8_t *, size_t, void *, int);
    if (real == NULL)
        real = (int (*)(const uint8_t *, size_t, void *, int))next("WebPGetFeaturesInternal");
    return real(bytes, count, features, version);
}

// --- Libraries that are loaded when they are first used ---

// Functions that every decoding calls. A result that is none may have any value.
#define WATCHED_LATER(DO) \
    DO(avifDecoderCreate, (void), ()) \
    DO(JxlDecoderCreate, (void *manager), (manager)) \
    DO(heif_context_set_max_decoding_threads, (void *context, int count), (context, count)) \
    DO(TIFFOpenOptionsAlloc, (void), ()) \
    DO(rsvg_handle_new_from_data, (void *bytes, size_t count, void *error), (bytes, count, error))

#define WATCH_LATER(name, parameters, arguments) \
    static void *(*real_##name) parameters; \
    static void *watched_##name parameters { \
        watch(#name); \
        return real_##name arguments; \
    }
WATCHED_LATER(WATCH_LATER)

#define FIND_LATER(watched, parameters, arguments) \
    if (strcmp(name, #watched) == 0) { \
        real_##watched = (void *(*) parameters)real(library, name); \
        return real_##watched == NULL ? NULL : (void *)watched_##watched; \
    }

void *dlsym(void *library, const char *name) {
    lookup *real = real_dlsym();
    WATCHED_LATER(FIND_LATER)
    // A tail call, because the meaning of RTLD_NEXT depends on the caller.
    __attribute__((musttail)) return real(library, name);
}

#include "kf_avif.h"

#include <dlfcn.h>
#include <stdio.h>

// The numbers of interfaces to look for: 13 is that of libavif 0.9, 16 of every 1.x so far. A higher
// number means an incompatible change.
enum { first_interface = 13, known_interface = 16, last_interface = 31 };

static kf_avif functions;

// Whether a library has the structures of the headers, and no fewer fields. Versions before 1.0, and
// perhaps those with an unknown interface, change them with each minor number.
static int agrees(const char *version, int interface) {
    int major, minor;
    if (version == NULL || sscanf(version, "%d.%d", &major, &minor) != 2) return 0;
    if (major != AVIF_VERSION_MAJOR) return 0;
    if (major == 0 || interface > known_interface) return minor == AVIF_VERSION_MINOR;
    return minor >= AVIF_VERSION_MINOR;
}

static int fill(void *library, int interface) {
    __typeof__(avifVersion) *version = (__typeof__(avifVersion) *)dlsym(library, "avifVersion");
    if (version == NULL || !agrees(version(), interface)) return 0;
#define KF_AVIF_FILL(name) \
    __typeof__(name) *name##_found = (__typeof__(name) *)dlsym(library, #name); \
    if (name##_found == NULL) return 0; \
    functions.name = name##_found;
    KF_AVIF_FUNCTIONS(KF_AVIF_FILL)
    return 1;
}

const kf_avif *kf_avif_load(const char *name) {
    // The headers do not state the number of their interface.
    for (int interface = first_interface; interface <= last_interface; interface++) {
        char file[64];
        if (snprintf(file, sizeof file, "%s.%d", name, interface) >= (int)sizeof file) return NULL;
        void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) continue;
        if (fill(library, interface)) return &functions;
        dlclose(library);
    }
    return NULL;
}

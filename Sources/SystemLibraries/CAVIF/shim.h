#pragma once
#include <avif/avif.h>

// The axis of a mirrored image: libavif 0.11 calls the field `mode`, 1.0 and later `axis`. The
// values mean the same: 0 exchanges top and bottom, 1 left and right.
static inline int kf_avif_mirror_axis(avifImageMirror mirror) {
#if AVIF_VERSION_MAJOR >= 1
    return mirror.axis;
#else
    return mirror.mode;
#endif
}

#include "CKFKernels.h"

int kf_has_twins(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#elif defined(__aarch64__)
    return 1;
#else
    return 0;
#endif
}

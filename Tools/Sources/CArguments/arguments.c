#include "arguments.h"

static int count;
static char **values;

// glibc passes the arguments of main to such functions. Swift reads /proc/self/cmdline instead, and
// finds nothing where /proc is not mounted.
__attribute__((constructor)) static void remember(int argc, char **argv) {
    count = argc;
    values = argv;
}

int kf_argument_count(void) { return values ? count : 0; }

const char *kf_argument(int number) { return values[number]; }

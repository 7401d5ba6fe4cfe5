#!/usr/bin/env bash
# Checks the NEON twins on a machine without NEON: compiles them for arm64, and compares them with
# plain loops in an emulator.
#
# Usage: Scripts/neon.sh [--install]   missing tools are installed with --install; otherwise the
#                                      checks that need them are skipped
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

KERNELS=(-I Sources/CKFKernels/include Tests/CKFKernelsTests/check.c Sources/CKFKernels/*.c)
FLAGS=(-std=gnu11 -O2 -Wall -Wextra -Werror)

if [ "${1:-}" = --install ]; then
    install_packages qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
    say "aarch64-linux-gnu-gcc is missing: the NEON twins are not checked (see --install)"
    exit
fi
aarch64-linux-gnu-gcc "${FLAGS[@]}" -static "${KERNELS[@]}" -o "$folder/check" -lm \
    || die "the NEON twins do not compile (see above)."
if ! command -v qemu-aarch64-static >/dev/null; then
    say "qemu-aarch64-static is missing: the NEON twins were compiled, but not run (see --install)"
    exit
fi
qemu-aarch64-static "$folder/check" || die "a NEON twin differs from the plain loop (see above)."

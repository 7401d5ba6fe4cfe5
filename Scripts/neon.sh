#!/usr/bin/env bash
# Checks the twins for NEON on a machine without it: compiles them for arm64, and runs them in an
# emulator beside plain loops.
#
# Usage: Scripts/neon.sh [--install]   what is missing is skipped, or installed with --install
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

KERNELS=(-I Sources/CKernels/include Tests/CKernelsTests/check.c Sources/CKernels/*.c)
FLAGS=(-std=gnu11 -O2 -Wall -Wextra -Werror)

if [ "${1:-}" = --install ]; then
    install_packages qemu-user-static gcc-aarch64-linux-gnu libc6-dev-arm64-cross
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
    say "No aarch64-linux-gnu-gcc here: the twins for NEON are not checked (see --install)"
    exit
fi
aarch64-linux-gnu-gcc "${FLAGS[@]}" -static "${KERNELS[@]}" -o "$folder/check" -lm \
    || die "the twins for NEON do not compile."
if ! command -v qemu-aarch64-static >/dev/null; then
    say "No qemu-aarch64-static here: the twins for NEON compile, and were not run"
    exit
fi
qemu-aarch64-static "$folder/check" || die "a twin for NEON differs from the plain loop."

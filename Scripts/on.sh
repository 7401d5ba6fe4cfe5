#!/usr/bin/env bash
# Runs a command in another release of Debian, with this checkout and this machine's Swift toolchain.
#
# Usage: Scripts/on.sh RELEASE [COMMAND [ARGUMENT]...]
#
#   RELEASE  bookworm, trixie or another name that debootstrap knows
#   COMMAND  runs in the folder of the checkout; Scripts/test.sh by default
#
# debootstrap makes a minimal system in the folder KF_ROOTS, by default ~/.cache/kingfisher-roots. It is
# kept for the next time with what the command installed; remove its folder to begin again. The command
# sees the files of this checkout, and build folders of its own in .build-on/RELEASE. It sees the
# toolchain read-only, no process of this machine, and its network. Whatever it started ends with it.
#
# Needs root, for mounts in a namespace of their own: none of them stays. Missing packages are installed
# first. A first run fetches about 100 MB, and what the command installs.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

usage="usage: Scripts/on.sh RELEASE [COMMAND [ARGUMENT]...]"
[ $# -ge 1 ] && [[ $1 =~ ^[a-z]+$ ]] || die "$usage"
release=$1
shift
[ $# -gt 0 ] || set -- Scripts/test.sh
[ "$(id -u)" -eq 0 ] || die "Scripts/on.sh needs root, for mounts that end with it."
require_swift
missing=()
command -v debootstrap >/dev/null || missing+=(debootstrap)
command -v unshare >/dev/null || missing+=(util-linux)
[ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"

# --- The system -----------------------------------------------------------------------------

root=${KF_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/kingfisher-roots}/$release
provide_root "$release" "$root"
mirror=${KF_MIRROR:-http://deb.debian.org/debian}
{
    printf 'deb %s %s main\n' "$mirror" "$release" "$mirror" "$release-updates"
    printf 'deb %s-security %s-security main\n' "$mirror" "$release"
} >"$root/etc/apt/sources.list"

# --- What it shares with this machine -------------------------------------------------------

# share PATH...: mounts folders read-only at the same place in the system.
shared=()
share() {
    local path
    for path in "$@"; do
        mkdir -p "$root$path"
        shared+=("$path")
    done
}

resources=$(swift -print-target-info | sed -n 's/.*"runtimeResourcePath": "\(.*\)".*/\1/p')
toolchain=${resources%/lib/swift}
share "$toolchain"

# Copies of repositories that git uses in place of others: url.FOLDER.insteadOf.
rm -f "$root/etc/gitconfig"
while IFS= read -r -d '' setting; do
    key=${setting%%$'\n'*}
    folder=${key#url.}
    folder=${folder%.insteadof}
    [[ $folder != /* || ! -d $folder ]] || share "${folder%/}"
    git config -f "$root/etc/gitconfig" --add "url.$folder.insteadOf" "${setting#*$'\n'}"
done < <(git config --null --get-regexp '^url\..*\.insteadof$' || true)
# The checkout may belong to another user.
git config -f "$root/etc/gitconfig" --add safe.directory '*'

# Authorities that were added to this machine, such as that of a proxy.
if [ -d /usr/local/share/ca-certificates ]; then
    mkdir -p "$root/usr/local/share"
    cp -RL /usr/local/share/ca-certificates "$root/usr/local/share"
    [ ! -x "$root/usr/sbin/update-ca-certificates" ] || TMPDIR=/tmp chroot "$root" update-ca-certificates >/dev/null
fi

# A build of one release must not be taken for that of another.
mkdir -p "$root$ROOT"
builds=()
for name in .build $(grep -oh '\.build-[a-z]\+' Scripts/*.sh | sort -u); do
    [ "$name" != .build-on ] || continue
    mkdir -p "$ROOT/$name" "$ROOT/.build-on/$release/$name"
    builds+=("$name")
done

# The rest of the environment belongs to this machine's session.
environment=(HOME=/root LANG=C.UTF-8 "TERM=${TERM:-dumb}"
    "PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
for name in $(compgen -e); do
    case $name in
    KF_ROOTS | KF_MIRROR) ;;
    KF_* | SWT_* | CI | RECORD | *_proxy) environment+=("$name=${!name}") ;;
    esac
done

# --- The command ----------------------------------------------------------------------------

say "Debian $(cat "$root/etc/debian_version") ($root): $*"
export root ROOT release
shared_list=$(printf '%s\n' "${shared[@]}") build_list=$(printf '%s\n' "${builds[@]}")
export shared_list build_list
# shellcheck disable=SC2016
exec unshare --mount --pid --ipc --uts --fork --kill-child bash -euc '
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    mount -t tmpfs -o mode=755 tmpfs "$root/run"
    cat /etc/resolv.conf >"$root/etc/resolv.conf"
    cat /etc/hosts >"$root/etc/hosts"
    while IFS= read -r path; do
        mount --bind "$path" "$root$path"
        mount -o remount,bind,ro "$root$path"
    done <<<"$shared_list"
    mount --rbind "$ROOT" "$root$ROOT"
    while IFS= read -r name; do
        mount --bind "$ROOT/.build-on/$release/$name" "$root$ROOT/$name"
    done <<<"$build_list"
    # Not chroot, below which the kernel refuses namespaces of users, that tests and programs make.
    cd "$root"
    pivot_root . .
    umount -l .
    exec env -i "${@:2:$1}" bash -c "cd \"\$1\" && shift && exec \"\$@\"" \
        - "$ROOT" "${@:$(($1 + 2))}"' - "${#environment[@]}" "${environment[@]}" "$@"

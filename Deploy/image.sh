#!/usr/bin/env bash
# Builds a container image of kf-serve without a container engine, tries it, and writes it as an OCI
# archive, which `docker load`, `podman load` and `skopeo copy` read.
#
# Usage: Deploy/image.sh FOLDER
#
# The image is made from scratch: the program, the libraries that it loads with their licences, the
# six fonts of DejaVu for the text of SVG files and watermarks, the certificates of
# authorities, a user without rights, and nothing else, not even a shell. It is tried with a
# read-only root. Needs root; missing programs are installed first.
. "$(dirname -- "${BASH_SOURCE[0]}")/../Scripts/lib.sh"

[ $# -eq 1 ] || die "usage: Deploy/image.sh FOLDER"
[ "$(id -u)" -eq 0 ] || die "this needs root, for the owners of files and the namespaces of the try."
folder=$(realpath -m -- "$CALLER_FOLDER/$1")
[ "${1#/}" = "$1" ] || folder=$1
mkdir -p "$folder"

needed=()
command -v buildah >/dev/null || needed+=(buildah)
command -v runc >/dev/null || needed+=(runc)
# Only recommended by buildah, which newer versions do not start without.
[ -x /usr/lib/podman/netavark ] || needed+=(netavark)
command -v python3 >/dev/null || needed+=(python3)
command -v fc-cache >/dev/null || needed+=(fontconfig)
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || needed+=(fonts-dejavu-core)
[ -e /etc/ssl/certs/ca-certificates.crt ] || needed+=(ca-certificates)
[ ${#needed[@]} -eq 0 ] || install_packages "${needed[@]}"

scratch=$(mktemp -d)
export STORAGE_DRIVER=vfs
storage=(--root "$scratch/storage" --runroot "$scratch/run")
working=''
finish() {
    [ -z "$working" ] || buildah "${storage[@]}" rm "$working" >/dev/null 2>&1 || true
    rm -rf "$scratch"
}
trap finish EXIT

Deploy/build.sh "$scratch/built"

# --- The files ------------------------------------------------------------------------------

root=$scratch/root
mkdir -p "$root"/{etc/ssl/certs,tmp,usr/bin,var/cache/kf-serve,proc,sys,dev}
ln -s usr/bin "$root/bin"
ln -s usr/lib "$root/lib"
[ ! -e /lib64 ] || ln -s usr/lib64 "$root/lib64"
install -m 755 "$scratch/built/kf-serve" "$root/usr/bin/kf-serve"

# copy_library FILE: with the same path, and under the name by which programs load it.
copy_library() {
    local target=$root/usr/${1#/}
    target=${target/\/usr\/usr\//\/usr\/}
    [ -e "$target" ] || install -D -m 644 "$1" "$target"
}
# Loaded while the program runs: the libraries of some formats, what newer versions of libheif load for
# HEIC, and ISA-L if the build found it. glibc has its resolver in itself since 2.34.
loaded=()
for library in /usr/lib/*/lib{avif,isal,jxl,heif,tiff,rsvg-2}.so.[0-9]* \
    /usr/lib/*/libheif/plugins/libheif-libde265.so; do
    [ ! -e "$library" ] || loaded+=("$library")
done
for file in "$scratch/built/kf-serve" "${loaded[@]}"; do
    [ "$file" = "$scratch/built/kf-serve" ] || copy_library "$file"
    while IFS= read -r library; do copy_library "$library"; done < <(
        ldd "$file" | awk '$3 ~ /^\// { print $3 } $1 ~ /^\// { print $1 }'
    )
done
chmod 755 "$root"/usr/lib64/ld-* "$root"/usr/lib/*/ld-* "$root"/usr/lib/ld-* 2>/dev/null || true

# A cache of the fonts, so that workers need not read them when they start. It holds for folders with
# the time of its making, of which archives keep the seconds.
install -D -m 644 -t "$root/usr/share/fonts/truetype/dejavu" \
    /usr/share/fonts/truetype/dejavu/DejaVu{Sans,Serif,SansMono}{,-Bold}.ttf
install -D -m 644 Deploy/fonts.conf "$root/etc/fonts/fonts.conf"
mkdir -p "$root/var/cache/fontconfig"
find "$root/usr/share/fonts" -type d -exec touch -d "@$(date +%s)" {} +
fc-cache --sysroot="$root" || die "fc-cache cannot write the cache of the fonts."

# The licences of the libraries and fonts.
find "$root/usr/lib" "$root/usr/share" -type f -printf '*/%f\n' \
    | { xargs dpkg-query --search 2>/dev/null || true; } | sed 's/[,:].*//' | sort -u | while IFS= read -r package; do
    [ ! -e "/usr/share/doc/$package/copyright" ] \
        || install -D -m 644 {,"$root"}"/usr/share/doc/$package/copyright"
done

install -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
printf '%s\n' 'root:x:0:0:root:/:/nonexistent' 'kf:x:10001:10001:kf:/:/nonexistent' \
    >"$root/etc/passwd"
printf '%s\n' 'root:x:0:' 'kf:x:10001:' >"$root/etc/group"
printf '%s\n' 'hosts: files dns' >"$root/etc/nsswitch.conf"
chown 10001:10001 "$root/var/cache/kf-serve"
chmod 1777 "$root/tmp"

# --- The image ------------------------------------------------------------------------------

working=$(buildah "${storage[@]}" from scratch)
buildah "${storage[@]}" copy -q "$working" "$root" / >/dev/null
buildah "${storage[@]}" config --user 10001:10001 --port 8080 --stop-signal SIGTERM \
    --env IMGPROXY_BIND=:8080 --env KF_CACHE_PATH=/var/cache/kf-serve \
    --volume /var/cache/kf-serve --workingdir / --entrypoint '["/usr/bin/kf-serve"]' \
    --label org.opencontainers.image.title=kf-serve \
    --label org.opencontainers.image.licenses=MIT "$working"
archive=$folder/kf-serve-oci.tar
rm -f "$archive"
buildah "${storage[@]}" commit -q --disable-compression=false "$working" "oci-archive:$archive:kf-serve" >/dev/null
size=$(stat -c %s "$archive")
say "Wrote $archive: $((size / 1000000)) MB"
[ "$size" -le 90000000 ] || die "the image has more than 90 MB."

# --- The try --------------------------------------------------------------------------------

Deploy/try_image.py "$archive" "$scratch/try" || die "the image does not work."
say "The image works with a read-only root, as a user without rights"

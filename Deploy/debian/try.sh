#!/bin/sh
# Runs in a minimal Debian: installs, uses and purges the packages of /packages.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
fail() { echo "error: $*" >&2; exit 1; }
cd /packages
apt-get update -qq
apt-get install -y -qq --no-install-recommends xz-utils >/dev/null 2>&1

# The tarball on a system that has only the libraries that its list names.
mkdir /tmp/kf
tar -xJf kf-*.tar.xz --strip-components=1 -C /tmp/kf
needed=$(sed -n 's/^  lib.* (\(.*\))$/\1/p' /tmp/kf/README | sort -u)
# A package that was renamed is provided by its successor.
apt-get install -y -qq --no-install-recommends $needed >/dev/null 2>&1 \
    || fail "the packages of the list cannot be installed:" $needed
/tmp/kf/bin/kf info grid.png | grep -qi png || fail "kf of the tarball does not run"

# Without libavif the error names it.
! /tmp/kf/bin/kf get grid.png -o /tmp/grid.avif 2>/tmp/error || fail "AVIF was written without libavif"
grep -q libavif /tmp/error || fail "the error does not name libavif: $(cat /tmp/error)"

apt-get install -y -qq --no-install-recommends ./kf_*.deb ./kf-serve_*.deb >/tmp/log 2>&1 \
    || fail "the packages cannot be installed: $(cat /tmp/log)"
kf get grid.png -o /tmp/grid.webp >/dev/null
kf info /tmp/grid.webp | grep -qi webp || fail "kf does not convert"
kf-serve --check --config /etc/kf-serve/kf-serve.conf | grep -q '^IMGPROXY_BIND=127.0.0.1:8080$' \
    || fail "the default configuration is not read"

# Each release has another libavif.
apt-get install -y -qq --no-install-recommends libavif16 >/dev/null 2>&1 \
    || apt-get install -y -qq --no-install-recommends libavif15 >/dev/null 2>&1 \
    || fail "libavif cannot be installed"
kf get grid.png -p resize:64x -o /tmp/grid.avif >/dev/null 2>/tmp/error \
    || fail "AVIF is not written: $(cat /tmp/error)"
kf info /tmp/grid.avif | grep -qi avif || fail "AVIF is not read"

# The service with a key of the folder of credentials.
mkdir /tmp/secrets
printf 'aa\n' >/tmp/secrets/kf-serve_IMGPROXY_KEY
printf 'aa\n' >/tmp/secrets/kf-serve_IMGPROXY_SALT
CREDENTIALS_DIRECTORY=/tmp/secrets IMGPROXY_BIND=127.0.0.1:18081 KF_ADMIN_BIND=127.0.0.1:18082 \
    KF_CACHE_PATH=/tmp/cache IMGPROXY_LOCAL_FILESYSTEM_ROOT=/packages \
    IMGPROXY_TRUSTED_SIGNATURES=trusted \
    kf-serve --config /etc/kf-serve/kf-serve.conf 2>/tmp/log &
service=$!
tries=0
until IMGPROXY_BIND=127.0.0.1:18081 KF_ADMIN_BIND=127.0.0.1:18082 kf-serve --health; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || fail "the service is not healthy: $(cat /tmp/log)"
    sleep 0.1
done
# The image by way of kf, which is the only HTTP client here.
kf get http://127.0.0.1:18081/trusted/w:40/plain/local:///grid.png@webp -o /tmp/served.webp \
    >/dev/null 2>/tmp/error || fail "no image was served: $(cat /tmp/error /tmp/log)"
kf info /tmp/served.webp | grep -q 40 || fail "the image has a wrong size"
! kf get http://127.0.0.1:18081/_/w:40/plain/local:///grid.png -o /tmp/x.png >/dev/null 2>&1 \
    || fail "the key of the credentials is not used"
kill -TERM $service
wait $service || fail "the service ended with $?: $(cat /tmp/log)"

apt-get purge -y -qq kf kf-serve >/dev/null 2>&1 || fail "the packages cannot be purged"
for path in /usr/bin/kf /usr/bin/kf-serve /etc/kf-serve /usr/share/doc/kf-serve \
    /usr/lib/systemd/system/kf-serve.service; do
    [ ! -e "$path" ] || fail "$path is left after purging"
done

#!/usr/bin/env bash
# Builds the image service in release mode and runs it, with the playground, until Ctrl-C.
#
# Usage: Scripts/serve.sh [ARGUMENT]...
#
# Arguments are those of kf-serve; its configuration is the environment. Unless set there, it
# listens at 127.0.0.1:8080, keeps results in the user's cache folder, and serves the screenshots of
# the gallery as samples. Missing system libraries are installed first.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

Scripts/bootstrap.sh --redis
# In the service's folder: its trait would build the library anew for each of the others.
NESTED_BUILD=$SERVER_BUILD
build_tool Server kf-serve

export IMGPROXY_BIND=${IMGPROXY_BIND:-127.0.0.1:8080}
export KF_CACHE_PATH=${KF_CACHE_PATH:-${XDG_CACHE_HOME:-$HOME/.cache}/kf-serve}
export KF_PLAYGROUND=${KF_PLAYGROUND:-1}
has_samples=''
[ -n "${IMGPROXY_LOCAL_FILESYSTEM_ROOT:-}" ] || has_samples=1
export IMGPROXY_LOCAL_FILESYSTEM_ROOT=${IMGPROXY_LOCAL_FILESYSTEM_ROOT:-$ROOT/Examples/Gallery/Screenshots}
mkdir -p "$KF_CACHE_PATH"

# Nothing to open: arguments such as --check do not serve, and a socket has no address in a browser.
if [ $# -eq 0 ] && [ "${IMGPROXY_BIND#unix}" = "$IMGPROXY_BIND" ]; then
    address=$IMGPROXY_BIND
    [ "${address#:}" = "$address" ] || address=127.0.0.1$address
    address=http://$address${IMGPROXY_PATH_PREFIX:-}
    case $KF_PLAYGROUND:$has_samples in
    0* | f* | F*) say "The image service: $address/" ;;
    *:1) say "The playground with a sample: $address/?source=local:///grid.png" ;;
    *) say "The playground: $address/" ;;
    esac
    # With keys, the playground signs URLs.
    if [ -n "$has_samples" ] && [ -z "${IMGPROXY_KEY:-}" ]; then
        say "  $address/unsafe/rs:fit:600:400/plain/local:///grid.png"
        say "  $address/unsafe/rs:fill:200:200/g:sm/plain/local:///grid.png@webp"
    fi
    say "Results are kept in $KF_CACHE_PATH. Ctrl-C ends the service."
fi
cd "$CALLER_FOLDER"
exec "$NESTED_BUILD/release/kf-serve" "$@"

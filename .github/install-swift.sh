#!/bin/sh
# Installs the newest Swift toolchain into a container, and puts it on the PATH of later steps.
set -eu
case $(. /etc/os-release && echo "$ID$VERSION_ID") in
ubuntu24.04) platform=ubuntu24.04 ;;
# The toolchain of Debian 12 runs on 13, for which there is none.
debian*) platform=debian12 ;;
*) echo "error: no toolchain is known for this system" >&2 && exit 1 ;;
esac
folder=$(mktemp -d)
cd "$folder"
curl -fsSLO "https://download.swift.org/swiftly/linux/swiftly-$(uname -m).tar.gz"
tar -xzf "swiftly-$(uname -m).tar.gz"
./swiftly init --assume-yes --quiet-shell-followup --skip-install --platform "$platform"
. "$HOME/.local/share/swiftly/env.sh"
swiftly install --assume-yes --use latest --post-install-file post-install.sh
[ ! -e post-install.sh ] || sh post-install.sh
echo "$HOME/.local/share/swiftly/bin" >>"$GITHUB_PATH"
echo "version=$(swift --version 2>/dev/null | head -n 1)" >>"$GITHUB_OUTPUT"

#!/usr/bin/env bash
# Makes a PNG of every page of the gallery, without a display.
#
# Usage: Scripts/screenshots.sh DIR
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

[ $# -eq 1 ] || die "usage: Scripts/screenshots.sh DIR"
case $1 in
/*) folder=$1 ;;
*) folder=$CALLER_FOLDER/$1 ;;
esac
Scripts/bootstrap.sh --gtk
require_swift
NESTED_BUILD=$GTK_BUILD
build_tool Examples/Gallery gallery
export GDK_BACKEND=x11 GSK_RENDERER=cairo
exec xvfb-run -a -s '-screen 0 1280x1024x24' \
    "$NESTED_BUILD/release/gallery" --screenshots "$folder"

#!/usr/bin/env bash
# Makes PNGs of every page of the gallery, without a display: in the light and in the dark theme, on
# a screen of one pixel per point and on one of two (NAME, NAME-dark, NAME@2x, NAME-dark@2x).
#
# Usage: Scripts/screenshots.sh DIR [WIDTHxHEIGHT]
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

case $# in
1) size=() ;;
2) size=(--size "$2") ;;
*) die "usage: Scripts/screenshots.sh DIR [WIDTHxHEIGHT]" ;;
esac
case $1 in
/*) folder=$1 ;;
*) folder=$CALLER_FOLDER/$1 ;;
esac
Scripts/bootstrap.sh --gtk
require_swift
NESTED_BUILD=$GTK_BUILD
build_tool Examples/Gallery gallery
export GDK_BACKEND=x11 GSK_RENDERER=cairo
for scale in 1 2; do
    for theme in "" --dark; do
        GDK_SCALE=$scale xvfb-run -a -s '-screen 0 3400x2400x24' \
            "$NESTED_BUILD/release/gallery" $theme "${size[@]}" --screenshots "$folder"
    done
done

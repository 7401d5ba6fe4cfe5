#!/usr/bin/env bash
# Makes PNGs of every page of the gallery, without a display: in the light and in the dark theme, on
# a screen of one pixel per point and on one of two (NAME, NAME-dark, NAME@2x, NAME-dark@2x).
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
for scale in 1 2; do
    for theme in "" --dark; do
        GDK_SCALE=$scale xvfb-run -a -s '-screen 0 2560x2048x24' \
            "$NESTED_BUILD/release/gallery" $theme --screenshots "$folder"
    done
done

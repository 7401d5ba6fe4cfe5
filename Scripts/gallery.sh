#!/usr/bin/env bash
# Runs the GTK example: ten thousand images in a grid, one image to zoom, a feed, animations, every
# processor, and the times of a load's stages.
#
# Usage: Scripts/gallery.sh [--page NAME] [--dark] [--size WIDTHxHEIGHT] [--screenshots DIR]
#        Scripts/gallery.sh --pictures DIR
#        Scripts/gallery.sh --measure scrolling|animations|zooming DIR
#
# It serves its own images and needs no network. GTK 4 is installed first if it is missing.
# Without a display:
#
#   in memory      xvfb-run -a -s '-screen 0 1280x1024x24' Scripts/gallery.sh --measure scrolling DIR
#   in a browser   gtk4-broadwayd :9 &            (Debian package libgtk-4-bin)
#                  GDK_BACKEND=broadway BROADWAY_DISPLAY=:9 Scripts/gallery.sh
#                  and open http://127.0.0.1:8089
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

case "${1:-}" in
-h | --help)
    sed -n '2,/^\. /s/^# \{0,1\}//p' "$ROOT/Scripts/gallery.sh" | sed '/^\. /d'
    exit 0
    ;;
esac

Scripts/bootstrap.sh --gtk
NESTED_BUILD=$GTK_BUILD
build_tool Examples/Gallery gallery
cd "$CALLER_FOLDER"
exec "$NESTED_BUILD/release/gallery" "$@"

#!/bin/sh
# Gives each file the time of the commit that changed it last.
#
# A new clone gives all files the present time. Builds compare times, so that they would compile
# everything again although their folders have been kept.
set -eu
git config --global --add safe.directory "$PWD"
git -c core.quotePath=false log --format='time of a commit: %ct' --name-only --no-renames | awk '
    /^time of a commit: / { time = $NF; next }
    NF && !seen[$0]++ { print time, $0 }' | while read -r time file; do
    [ ! -f "$file" ] || touch -d "@$time" "$file"
done

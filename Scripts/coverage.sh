#!/usr/bin/env bash
# Checks that tests name all numbered statements about the library's behaviour.
#
# Usage: Scripts/coverage.sh [--check]
#
#   --check    print only errors; part of `Scripts/test.sh lint`
#
# The statements are in Documentation/Behaviour.md; a test names one by its number, as in
# `MGR-2: none, memory, disk, none`. Fails if a statement has no test, if a test names an unknown
# number, or if the list has a number twice. A name proves nothing: read the test.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

list=Documentation/Behaviour.md
mode=${1:-}
case $mode in
'' | --check) ;;
*) die "usage: Scripts/coverage.sh [--check]" ;;
esac

named=$(mktemp)
trap 'rm -f "$named"' EXIT
# Only the areas of the list, because other names have this form, too (SHA-256).
areas=$(sed -nE 's/^- \*\*([A-Z]+)-[0-9]+\*\* .*/\1/p' "$list" | sort -u | paste -sd '|' -)
grep -rhoE --include='*.swift' "\b($areas)-[0-9]+\b" Tests Tools/Tests Examples \
    | sort -u >"$named"

awk -v check="$mode" '
    NR == FNR { named[$1] = 1; next }
    /^## [0-9]/ { title = substr($0, 4); next }
    /^- \*\*[A-Z]+-[0-9]+\*\* / {
        number = $2
        gsub(/\*/, "", number)
        if (number in known) twice = twice "  " number "\n"
        known[number] = 1
        if (!(title in total)) titles[++areas] = title
        total[title]++; all++
        if (!(number in named)) { missing = missing "  " number "\n"; open[title]++ }
    }
    END {
        for (name in named) if (!(name in known)) unknown = unknown "  " name "\n"
        if (check != "--check") {
            for (i = 1; i <= areas; i++)
                printf "%3d of %3d  %s\n", total[titles[i]] - open[titles[i]], total[titles[i]], titles[i]
            printf "%d statements.\n", all
        }
        if (missing != "") printf "error: no test names these statements:\n%s", missing
        if (unknown != "") printf "error: tests name these, which are not in the list:\n%s", unknown
        if (twice != "") printf "error: the list has these numbers twice:\n%s", twice
        exit (missing != "" || unknown != "" || twice != "")
    }' "$named" "$list"

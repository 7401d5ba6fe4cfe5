#!/usr/bin/env bash
# Says which statements about the library's behaviour are named by a test, and which are not.
#
# Usage: Scripts/coverage.sh [--check | --record]
#
#   --check    print only what is wrong: a statement that lost its last test, or a name that is
#              on no list; fails then. Part of `Scripts/test.sh lint`.
#   --record   note in the list which statements are named now, so that --check keeps them
#
# The list is Tests/Contract/behaviour.txt; a test names a statement by its number, as in
# `MGR-2: none, memory, disk, none`. To name is not to prove: read the test.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

list=Tests/Contract/behaviour.txt
mode=${1:-}
case $mode in
'' | --check | --record) ;;
*) die "usage: Scripts/coverage.sh [--check | --record]" ;;
esac

named=$(mktemp)
trap 'rm -f "$named"' EXIT
# Only the areas of the list, because other things are called like this, too (SHA-256).
areas=$(sed -nE 's/^\??([A-Z]+)-[0-9]+ .*/\1/p' "$list" | sort -u | paste -sd '|' -)
grep -rhoE --include='*.swift' "\b($areas)-[0-9]+\b" Tests Tools/Tests Examples \
    | sort -u >"$named"

if [ "$mode" = --record ]; then
    awk 'NR == FNR { named[$1] = 1; next }
        /^\??[A-Z]+-[0-9]+ / { sub(/^\?/, ""); if (!($1 in named)) $0 = "?" $0 }
        { print }' "$named" "$list" >"$list.new"
    mv "$list.new" "$list"
fi

awk -v check="$mode" '
    NR == FNR { named[$1] = 1; next }
    /^# / { title = substr($0, 3); next }
    /^\??[A-Z]+-[0-9]+ / {
        is_open = sub(/^\?/, "")
        known[$1] = 1
        if (!(title in total)) titles[++areas] = title
        total[title]++; all++
        if ($1 in named) { covered[title]++; done++ }
        else {
            left[title] = left[title] "    " $0 "\n"
            if (!is_open) { lost = lost "  " $0 "\n" }
        }
    }
    END {
        for (name in named) if (!(name in known)) unknown = unknown "  " name "\n"
        if (check != "--check") {
            for (i = 1; i <= areas; i++) {
                printf "%3d of %3d  %s\n", covered[titles[i]], total[titles[i]], titles[i]
                printf "%s", left[titles[i]]
            }
            printf "%d of %d statements are named by a test, %d are left.\n", done, all, all - done
        }
        if (lost != "") printf "error: no test names these any more:\n%s", lost
        if (unknown != "") printf "error: tests name these, which are on no list:\n%s", unknown
        exit (lost != "" || unknown != "")
    }' "$named" "$list"

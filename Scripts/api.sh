#!/usr/bin/env bash
# Compares the public API of the built library with the list of what user code expects.
#
# Usage: Scripts/api.sh [--check]
#
#   --check   print only what is wrong
#
# Prints what is missing, and what is left out with its reason; fails if anything is missing that
# Tests/Contract/api.txt does not name as missing (a question mark). A declaration counts with its
# labels, types, defaults and effects, and with whether it is open.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

list=Tests/Contract/api.txt
check=''
case ${1:-} in
'') ;;
--check) check=1 ;;
*) die "usage: Scripts/api.sh [--check]" ;;
esac

require_swift
command -v jq >/dev/null || install_packages jq
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
extract_symbols Kingfisher "$work"

# One line for each declaration: its place, a tab, and the declaration in the words of the list.
jq -r '
    # What user code does not see, or what stands at the extension elsewhere.
    def plain:
        gsub("@(MainActor|discardableResult|preconcurrency|available\\([^)]*\\)) "; "")
        | gsub("\\b(override|required|convenience|final|weak|lazy|nonisolated|mutating|nonmutating|indirect) "; "")
        | gsub("\\s+"; " ") | sub(" $"; "");
    # A type is its name; a variable or a constant is what can be done with it.
    def shape:
        if test("^(struct|enum|class|protocol) ") then capture("^(?<name>\\w+ [\\w.]+)").name
        elif test("^(static )?let ") then sub("let "; "var ") + " { get }"
        elif test("^(static )?var ") and (test("\\{ get( \\w+)* \\}$") | not) then . + " { get set }"
        else . end;
    .symbols[]
    | select(.identifier.precise | contains("::SYNTHESIZED::") | not)
    | (.declarationFragments | map(.spelling) | join("") | plain | shape) as $declaration
    | (.pathComponents[:-1] | join(".")) as $inside
    | ([.swiftExtension.constraints[]?
        | "\(.lhs)\(if .kind == "sameType" then " == " else ": " end)\(.rhs)"] | join(", ")) as $where
    | (if .swiftExtension.typeKind == "swift.protocol" then "extension " else "" end) as $kind
    | "\($kind)\($inside)\(if $where != "" then " where \($where)" else "" end)" as $place
    # Who offers more than is asked for offers that, too.
    | ($declaration, ($declaration | select(endswith(" { get set }")) | sub(" set }$"; " }"))) as $offer
    | "\($place)\t\($offer)", (select(.accessLevel == "open") | "\($place)\topen \($offer)")
    ' "$work"/*.symbols.json | sort -u >"$work/offered"

awk -F '\t' -v check="$check" '
    NR == FNR { offered[$1 "\t" $2] = 1; next }
    NF < 3 { next }
    {
        where = $2 == "" ? "" : $2 ": "
        there = ($2 "\t" $3) in offered
        kind = $1
        if (kind ~ /^-/) { leftOut++; why[$4] = why[$4] "    " where $3 "\n"; next }
        expected++
        if (there) { present++; if (kind ~ /^\?/) found = found "  " where $3 "\n"; next }
        if (kind ~ /^\?/) { open++; awaited = awaited "  " where $3 "\n" }
        else missing = missing "  " where $3 "\n"
    }
    END {
        if (check == "") {
            printf "Left out on purpose:\n"
            for (reason in why) reasons[++n] = reason
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && reasons[j] < reasons[j - 1]; j--) {
                    swap = reasons[j]; reasons[j] = reasons[j - 1]; reasons[j - 1] = swap
                }
            for (i = 1; i <= n; i++) printf "  %s\n%s", reasons[i], why[reasons[i]]
            if (awaited != "") printf "Still missing:\n%s", awaited
            if (found != "") printf "No longer missing; take the question mark away:\n%s", found
            printf "%d of %d expected declarations are there, %d are still missing, %d are left out.\n",
                present, expected, expected - present, leftOut
        }
        if (missing != "") printf "error: user code expects these:\n%s", missing
        exit missing != ""
    }' "$work/offered" "$list"

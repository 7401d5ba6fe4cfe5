#!/usr/bin/env bash
# Compares the public API of the built library with the list of what user code expects.
#
# Usage: Scripts/api.sh [--check]
#
#   --check   print only errors
#
# Prints missing declarations, and those left out with the reason. Fails if one is missing that
# Tests/Contract/api.txt does not mark as missing (a question mark). Declarations are compared with
# their labels, types, defaults and effects, and with whether they are open. An enum of the list must
# have no other cases: they would end a switch without default.
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

# One line per declaration: its place, a tab, and the declaration in the format of the list.
jq -r '
    # Removes attributes and modifiers that do not matter to user code, or belong to the extension.
    def plain:
        gsub("@(MainActor|discardableResult|dynamicMemberLookup|preconcurrency|available\\([^)]*\\)) "; "")
        | gsub("\\b(override|required|convenience|final|weak|lazy|nonisolated|mutating|nonmutating|indirect) "; "")
        | gsub("\\s+"; " ") | sub(" $"; "");
    # A type is reduced to its name, a variable or a constant to its accessors.
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
    # A settable property also satisfies a requirement that only reads it.
    | ($declaration, ($declaration | select(endswith(" { get set }")) | sub(" set }$"; " }"))) as $offer
    | "\($place)\t\($offer)", (select(.accessLevel == "open") | "\($place)\topen \($offer)")
    ' "$work"/*.symbols.json | sort -u >"$work/declared"

# What `kf` offers for every ImageDisplaying, also by the name of each type that is one: its
# property `imageLoads` has the type of its placeholders.
awk -F '\t' '
    { print }
    $2 ~ /^typealias ImageCompletion = / { completion = $2; sub(/^.* = /, "", completion) }
    $1 == "KingfisherWrapper where Base: ImageDisplaying" { members[$2] }
    $2 ~ /^var imageLoads: ImageLoads<.*> / {
        type = $1; sub(/^extension /, "", type)
        content = $2; gsub(/^.*ImageLoads<|> .*$/, "", content)
        contents[type] = content ~ /^any / ? "(" content ")" : content
    }
    END {
        for (type in contents) for (member in members) {
            line = member
            gsub(/Base\.PlaceholderContent/, contents[type], line)
            gsub(/ImageCompletion/, "(" completion ")", line)
            print "KingfisherWrapper where Base: " type "\t" line
        }
    }' "$work/declared" >"$work/offered"

awk -F '\t' -v check="$check" '
    NR == FNR {
        offered[$1 "\t" $2] = 1
        if ($2 ~ /^case /) cases[$1 "\t" $2]
        next
    }
    NF < 3 { next }
    $3 ~ /^enum / && $1 !~ /^-/ { enums[($2 == "" ? "" : $2 ".") substr($3, 6)] }
    $3 ~ /^case / { listed[$2 "\t" $3] }
    $1 == "added" {
        if (!(($2 "\t" $3) in offered)) missing = missing "  " $2 ": " $3 "\n"
        next
    }
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
            if (found != "") printf "No longer missing; remove the question mark:\n%s", found
            printf "%d of %d expected declarations are present, %d are missing, %d are left out.\n",
                present, expected, expected - present, leftOut
        }
        if (missing != "") printf "error: user code expects these:\n%s", missing
        for (line in cases) {
            split(line, field, "\t")
            if ((field[1] in enums) && !(line in listed))
                extra = extra "  " field[1] ": " field[2] "\n"
        }
        if (extra != "") printf "error: no switch of user code knows these:\n%s", extra
        exit missing != "" || extra != ""
    }' "$work/offered" "$list"

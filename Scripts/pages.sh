#!/usr/bin/env bash
# Checks the pages that people read: links lead somewhere, words are spelt right, and the figures of
# README.md are those of the report.
#
# Usage: Scripts/pages.sh [--words | --figures]
#        Scripts/pages.sh --program PAGE FOLDER
#
#   --program  write the program that an article of the documentation shows into a folder, as a
#              package that depends on this clone
#   --figures  write the figures of README.md from Benchmarks/README.md and Tests/Contract/api.txt
#   --words    print the words that aspell does not know, one a line, to add to the list after
#              reading them
#
# Pages are the Markdown files at the root, in Documentation, in the documentation catalog and in
# Server and Benchmarks. Links to files, headings and articles are followed; web
# addresses are not, because lint needs no network. Spelling is British English;
# Documentation/words.txt has the names and terms that a dictionary has not. Part of
# `Scripts/test.sh lint`; takes about a second.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

words=Documentation/words.txt
catalog=Sources/Kingfisher/Kingfisher.docc
# Made from a list of declarations; its words are names.
generated=$catalog/Migration.md
pages=(*.md Documentation/*.md "$catalog"/*.md Server/*.md Benchmarks/*.md)
mode=${1:-}
case $mode in
'' | --words | --figures) ;;
--program) [ $# -eq 3 ] || die "usage: Scripts/pages.sh --program PAGE FOLDER" ;;
*) die "usage: Scripts/pages.sh [--words | --figures]" ;;
esac

# The page without code blocks, comments, `code`, ``symbols``, link targets and web addresses.
text() {
    awk '/^ *```/ { inside = !inside; print ""; next } { print inside ? "" : $0 }' "$1" \
        | sed -E 's/<!--.*-->//g; s/``[^`]*``//g; s/`[^`]*`//g; s/<doc:[^>]*>//g
            s/\]\([^)]*\)/]/g; s#https?://[^ )>]*##g; s/\b[A-Z]+-[0-9]+\b//g'
}

# The anchors of a page's headings, in the form that web pages of repositories give them.
anchors() {
    sed -nE 's/^#+ +(.*)$/\1/p' "$1" | tr '[:upper:]' '[:lower:]' \
        | sed -E "s/[^a-z0-9 _-]//g; s/ /-/g"
}

# check_links PAGE: prints each link that leads nowhere.
check_links() {
    local page=$1 folder target file anchor
    folder=$(dirname "$page")
    while IFS= read -r target; do
        file=${target%%#*}
        anchor=''
        [ "$file" = "$target" ] || anchor=${target#*#}
        if [ -n "$file" ] && [ ! -e "$folder/$file" ]; then
            printf '%s: no file %s\n' "$page" "$file"
        elif [ -n "$anchor" ] && ! anchors "$folder/${file:-$(basename "$page")}" \
            | grep -qxF -- "$anchor"; then
            printf '%s: no heading for %s\n' "$page" "$target"
        fi
    done < <(awk '/^ *```/ { inside = !inside } !inside' "$page" \
        | grep -oE '\]\([^)]+\)' | sed -E 's/^\]\(([^)" ]*).*$/\1/' \
        | grep -vE '^(https?|mailto):' || true)
    while IFS= read -r target; do
        [ -e "$catalog/$target.md" ] || printf '%s: no article %s\n' "$page" "$target"
    done < <(grep -oE '<doc:[^>]+>' "$page" | sed -E 's/<doc:(.*)>/\1/' || true)
    # Footnotes are defined where they are used.
    while IFS= read -r target; do
        grep -qF -- "$target:" "$page" || printf '%s: no footnote %s\n' "$page" "$target"
    done < <(grep -oE '\[\^[^]]+\]' "$page" | sort -u || true)
}

# The words of all pages that the dictionary and the list do not have.
unknown_words() {
    local page
    for page in "${pages[@]}"; do
        [ "$page" = "$generated" ] || text "$page"
    done | aspell list --lang=en_GB --encoding=utf-8 --ignore=2 | sort -u \
        | grep -vxFf <(sed 's/#.*//; s/ *$//; /^$/d' "$words") || true
}

# Writes the blocks below a comment <!-- file: NAME --> into files: program PAGE FOLDER
program() {
    local page=$1 folder=$2
    rm -rf "$folder"
    awk -v folder="$folder" -v root="$ROOT" '
        /^<!-- file: .* -->$/ { file = folder "/" $3; next }
        /^```/ && inside { close(file); file = ""; inside = 0; next }
        /^```/ && file != "" {
            path = file
            sub(/\/[^\/]*$/, "", path)
            system("mkdir -p \"" path "\"")
            printf "" >file
            inside = 1
            next
        }
        inside {
            sub(/path: "\.\.\/kingfisher-linux"/, "name: \"kingfisher-linux\", path: \"" root "\"")
            print >>file
        }' "$catalog/$page.md"
    [ -e "$folder/Package.swift" ] || die "$page has no program."
}

# The figures of the front page: figures [--check]
figures() {
    command -v python3 >/dev/null || {
        say "SKIPPED: figures of README.md, because python3 is missing."
        return 0
    }
    python3 Benchmarks/Peers/front_page.py "$@" README.md Benchmarks/README.md Tests/Contract/api.txt
}

if [ "$mode" = --program ]; then
    program "$2" "$3"
    exit
fi
if [ "$mode" = --figures ]; then
    figures
    exit
fi

command -v aspell >/dev/null && command -v codespell >/dev/null || {
    say "SKIPPED: spelling, because codespell or aspell is missing. Scripts/bootstrap.sh --lint installs them."
    no_spelling=1
}

if [ "$mode" = --words ]; then
    [ -z "${no_spelling:-}" ] || exit 1
    unknown_words
    exit 0
fi

faults=$(for page in "${pages[@]}"; do check_links "$page"; done)
faults+=$(printf '\n'; figures --check 2>&1 | sed 's/^error: //' || true)
if [ -z "${no_spelling:-}" ]; then
    faults+=$(printf '\n'; codespell --ignore-words-list "$(sed -n 's/^#codespell: *//p' "$words")" \
        "${pages[@]}" 2>&1 || true)
    while IFS= read -r word; do
        [ -z "$word" ] || faults+=$(printf '\n%s: unknown word' "$(grep -nowF -m 1 -- "$word" \
            "${pages[@]}" | head -n 1)")
    done < <(unknown_words)
fi
faults=$(printf '%s' "$faults" | sed '/^$/d')
[ -z "$faults" ] || {
    printf '%s\n' "$faults" | sed 's/^/error: /'
    printf '%s\n' "Correct them, or add names and terms to $words."
    exit 1
}

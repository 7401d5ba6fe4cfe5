#!/usr/bin/env bash
# Makes a release: checks everything, sets the version wherever it stands, closes the changelog,
# builds packages and pages, commits and tags.
#
# Usage: Scripts/release.sh VERSION [--no-tests] [--no-packages]
#        Scripts/release.sh --check
#
#   VERSION        such as 0.2.0
#   --no-tests     without the two scripts of .ci/run; for trying this script
#   --no-packages  without the packages and pages in .build-release
#   --check        only whether the version is the same everywhere; part of Scripts/test.sh lint
#
# Pushes nothing: the last line says what to push. The workflow in .github then builds the packages
# for every system and attaches them to the release.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# Each file, and the text around the version in it, as a pattern of sed.
places=(
    'Tools/Sources/kf/KFCommand.swift|version: "kf |"*'
    'Server/Sources/kf-serve/ServeCommand.swift|version: "kf-serve |"*'
    'README.md|^Version |:'
    'README.md|kingfisher-linux", from: "|"'
)
number='[0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*'

# The version of the newest release in the changelog.
current() { sed -n "s/^## \($number\)\$/\1/p" CHANGELOG.md | head -n 1; }

# Prints the places whose version is not the given one: check VERSION
check() {
    local place file before found
    for place in "${places[@]}"; do
        IFS='|' read -r file before _ <<<"$place"
        found=$(sed -n "s/.*${before#^}\($number\).*/\1/p" "$file" | head -n 1)
        [ "$found" = "$1" ] || printf '%s has version %s\n' "$file" "${found:-none}"
    done
}

if [ "${1:-}" = --check ]; then
    wrong=$(check "$(current)")
    [ -z "$wrong" ] || die "the newest release in CHANGELOG.md is $(current), but" "$wrong"
    exit 0
fi

version=${1:-}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "usage: Scripts/release.sh VERSION" \
    "The version has three numbers, such as 0.2.0."
tests=1 packages=1
for option in "${@:2}"; do
    case $option in
    --no-tests) tests='' ;;
    --no-packages) packages='' ;;
    *) die "there is no option '$option'; see the first lines of this script." ;;
    esac
done

# --- Checks -----------------------------------------------------------------------------------

[ -z "$(git status --porcelain --untracked-files=no)" ] || die "there are changes that are not committed."
! git rev-parse --quiet --verify "refs/tags/$version" >/dev/null || die "there is a tag $version."
[ "$(printf '%s\n' "$(current)" "$version" | sort -V | tail -n 1)" = "$version" ] \
    && [ "$(current)" != "$version" ] || die "the newest release is $(current), which is not older."
awk '/^## Unreleased$/ { inside = 1; next } /^## / { exit } inside && /^\* / { found = 1 }
    END { exit !found }' CHANGELOG.md || die "CHANGELOG.md has nothing under Unreleased."
[ -z "$tests" ] || .ci/run

# --- The version ------------------------------------------------------------------------------

for place in "${places[@]}"; do
    IFS='|' read -r file before _ <<<"$place"
    sed -i "s/\(${before}\)$number/\1$version/" "$file"
done
sed -i "s/^## Unreleased\$/## Unreleased\n\n## $version/" CHANGELOG.md
wrong=$(check "$version")
[ -z "$wrong" ] || die "the version could not be set:" "$wrong"

# --- Packages and pages -----------------------------------------------------------------------

if [ -n "$packages" ]; then
    Scripts/package.sh "$ROOT/.build-release"
    Scripts/docs.sh "$ROOT/.build-release/docs"
fi
git commit --quiet --all --message "Release $version"
git tag --annotate --message "Kingfisher for Linux $version" "$version"
say "Tagged $version. To publish it: git push --follow-tags"

#!/usr/bin/env bash
# Builds a program that depends on this package the way users do, by URL and version, and prints
# what that costs: the time of a clean build, the packages fetched, the size of the program.
#
# Usage: Scripts/consumer.sh           in debug and in release mode
#        Scripts/consumer.sh --traits  with each package trait, too (takes several minutes)
#        Scripts/consumer.sh --traits Redis GTK    only with these
#        Scripts/consumer.sh --names   only whether it builds beside a package with targets of common names
#
# The last commit is used, not the working copy. A version has stricter rules than a path: SwiftPM
# refuses targets with unsafe flags. Prints a table in Markdown.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

names=''
case "${1:-}" in
"") traits=("") ;;
--names) names=1 traits=("") ;;
--traits)
    shift
    traits=("$@")
    [ $# -gt 0 ] || traits=("" Redis GTK)
    ;;
*) die "there is no option '$1'; see the first lines of this script." ;;
esac
require_swift
"$ROOT/Scripts/bootstrap.sh" >/dev/null
[ "${traits[*]}" = "" ] || {
    "$ROOT/Scripts/bootstrap.sh" --redis >/dev/null
    "$ROOT/Scripts/bootstrap.sh" --gtk >/dev/null
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone --quiet --bare . "$folder/Kingfisher.git"
# A version that no release has.
git -C "$folder/Kingfisher.git" -c user.name=consumer -c user.email=consumer@localhost \
    tag --annotate --message "For a trial" 99.0.0 HEAD

# Writes a program that loads an image: write_program FOLDER TRAIT
write_program() {
    local program=$1 names="" products='.product(name: "Kingfisher", package: "Kingfisher")'
    [ -z "$2" ] || names=", traits: [\"$2\"]"
    [ -z "$2" ] || products+=", .product(name: \"Kingfisher$2\", package: \"Kingfisher\")"
    mkdir -p "$program/Sources/trial"
    cat >"$program/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "trial",
    dependencies: [
        .package(url: "file://$folder/Kingfisher.git", from: "99.0.0"$names)
    ],
    targets: [.executableTarget(name: "trial", dependencies: [$products])]
)
END
    cat >"$program/Sources/trial/main.swift" <<'END'
import Foundation
import Kingfisher

let url = URL(fileURLWithPath: CommandLine.arguments[1])
let result = try await KingfisherManager.shared.retrieveImage(with: url)
print(Int(result.image.size.width), Int(result.image.size.height))
END
}

# Builds the program and prints a row of the table: measure TRAIT CONFIGURATION
measure() {
    local program=$folder/$1-$2 log=$folder/log flags=() seconds cpu packages size libraries
    write_program "$program" "$1"
    [ "$2" = debug ] || flags=(-c release --static-swift-stdlib)
    say "Building with ${1:-no trait}, $2"
    # Fetching is not part of the time.
    swift package --package-path "$program" resolve >"$log" 2>&1 \
        || { cat "$log" >&2; die "the package cannot be resolved (see above)."; }
    TIMEFORMAT='%R %U %S'
    { time swift build --package-path "$program" "${flags[@]+"${flags[@]}"}" >"$log" 2>&1; } \
        2>"$folder/time" || { tail -n 40 "$log" >&2; die "the program does not build (see above)."; }
    read -r seconds cpu < <(awk '{ printf "%.0f %.0f\n", $1, $2 + $3 }' "$folder/time")
    # Without this one.
    packages=$(($(find "$program/.build/checkouts" -mindepth 1 -maxdepth 1 | wc -l) - 1))
    program=$program/.build/$2/trial
    libraries=$(ldd "$program" | grep -c '=>')
    # Without symbols, as programs are shipped.
    cp "$program" "$folder/stripped" && strip "$folder/stripped"
    size=$(stat -c %s "$folder/stripped")
    "$program" Examples/Gallery/Screenshots/grid.png >"$folder/said" \
        || die "the program does not run."
    grep -qE '^[0-9]+ [0-9]+$' "$folder/said" || die "the program does not print the image's size."
    printf '| %s | %s | %s s | %s s | %d | %d MB | %d |\n' "${1:-none}" "$2" "$seconds" "$cpu" \
        "$packages" $(((size + 500000) / 1000000)) "$libraries"
    rm -rf "$folder/$1-$2"
}

# Plans a program that also uses a package whose targets have the names that image libraries give
# theirs, and compiles a target of that package.
check_names() {
    local other=$folder/other program=$folder/names target dependencies=''
    for target in Pixels Codecs CPNG CJPEG CWebP CCurl; do
        mkdir -p "$other/Sources/$target"
        printf 'public let name%s = 1\n' "$target" >"$other/Sources/$target/$target.swift"
        dependencies+="\"$target\", "
    done
    cat >"$other/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let names = [$dependencies]
let package = Package(
    name: "other",
    products: [.library(name: "Other", targets: names)],
    targets: names.map { .target(name: \$0) }
)
END
    write_program "$program" ""
    sed -i -e "s|dependencies: \[\$|&.package(path: \"$other\"),|" \
        -e 's|dependencies: \[.product|dependencies: [.product(name: "Other", package: "other"), .product|' \
        "$program/Package.swift"
    swift build --package-path "$program" --target Pixels >"$folder/log" 2>&1 \
        || { tail -n 20 "$folder/log" >&2; die "a name of a target is not ours alone (see above)."; }
    say "Builds beside targets named Pixels, Codecs, CPNG, CJPEG, CWebP and CCurl."
}

if [ -n "$names" ]; then
    check_names
    exit
fi
printf '| trait | mode | clean build | CPU | packages | program | shared libraries |\n'
printf '|---|---|---|---|---|---|---|\n'
for trait in "${traits[@]}"; do
    measure "$trait" debug
    measure "$trait" release
done

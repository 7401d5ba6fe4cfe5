#!/usr/bin/env bash
# Builds a program that depends on this package the way users do, by URL and version, and prints
# what that costs: the time of a clean build, the packages fetched, the size of the program.
#
# Usage: Scripts/consumer.sh           in debug and in release mode
#        Scripts/consumer.sh --traits  with each package trait, too (takes several minutes)
#        Scripts/consumer.sh --traits Redis GTK    only with these
#        Scripts/consumer.sh --names   only whether it builds beside a package with targets of common names
#        Scripts/consumer.sh --types   only whether a release build may use every public type, and compiles
#                                      the programs of the article on GTK, into .build-gtk/release
#
# The last commit is used, not the working copy, except by --types. A version has stricter rules than a path: SwiftPM
# refuses targets with unsafe flags. Prints a table in Markdown.
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

# The names of something in the manifest: names_of .trait | .library | system
names_of() { sed -n "s/^ *$1(\(name: \)\{0,1\}\"\([^\"]*\)\".*/\2/p" Package.swift; }
all_traits=($(names_of .trait))
only=''
case "${1:-}" in
"") traits=("") ;;
--names | --types) only=$1 traits=("") ;;
--traits)
    shift
    traits=("$@")
    [ $# -gt 0 ] || traits=("" "${all_traits[@]}")
    ;;
*) die "there is no option '$1'; see the first lines of this script." ;;
esac
require_swift
if [ "$only" = --types ]; then
    traits=("${all_traits[@]}")
    command -v jq >/dev/null || install_packages jq
fi
"$ROOT/Scripts/bootstrap.sh" >/dev/null
[ "${traits[*]}" = "" ] || {
    for trait in "${all_traits[@]}"; do "$ROOT/Scripts/bootstrap.sh" "--${trait,,}" >/dev/null; done
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The last commit as a version that no release has.
version() {
    git clone --quiet --bare . "$folder/Kingfisher.git"
    git -C "$folder/Kingfisher.git" -c user.name=consumer -c user.email=consumer@localhost \
        tag --annotate --message "For a trial" 99.0.0 HEAD
}

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

# Writes Swift code for the public symbols of a module that takes a value of each type, and makes an
# object of each class that has an initialiser: use_types SYMBOLS
#
# The optimiser reads what it needs of a type only where an object is made and released.
use_types() {
    jq -r '
        def joined: map(.spelling) | join("") | gsub("\\s+"; " ");
        # The parameters of a generic type, as arguments.
        def arguments: [.swiftGenerics.parameters[]?.name] | if . == [] then "" else "<\(join(", "))>" end;
        def is_optional_closure: test("^\\(\\(.*\\)\\?$");
        # A function with the parameters of an initialiser, which calls it.
        def making($number):
            (.declarationFragments | joined) as $declaration
            | (.names.title | capture("\\((?<labels>.*)\\)").labels | split(":")[:-1]) as $labels
            | [.functionSignature.parameters[]?.declarationFragments | joined | sub("^\\w+: "; "")
                | if contains("->") and ($declaration | contains("@escaping")) and (is_optional_closure | not)
                  then "@escaping " + . else . end] as $types
            | ($types | to_entries | map("_ p\(.key): \(.value)") | join(", ")) as $parameters
            | ($labels | to_entries
                | map((if .value == "_" then "" else .value + ": " end) + "p\(.key)") | join(", ")) as $values
            | (if $declaration | contains("@MainActor") then "@MainActor " else "" end) as $isolation
            | (if $declaration | contains(") throws") then ["throws ", "try "] else ["", ""] end) as [$effect, $mark]
            | "\($isolation)public static func make\($number)(\($parameters)) \($effect){"
                + " _ = \($mark)\(.pathComponents[:-1] | join("."))\(arguments)(\($values)) }";
        [.symbols[] | select(.identifier.precise | contains("::SYNTHESIZED::") | not)] as $symbols
        | [$symbols[] | select(.kind.identifier == "swift.class") | .pathComponents] as $classes
        | $symbols | to_entries[] | .key as $number | .value
        | (.pathComponents | join(".")) as $name
        | .pathComponents[:-1] as $inside
        | if .kind.identifier == "swift.class" then
            "extension \($name) { public static func name\($number)(_ value: \($name)\(arguments)) -> Any { [value] } }"
          elif .kind.identifier | IN("swift.struct", "swift.enum") then
            "extension \($name) { public static func name\($number)(_ value: Self) -> Any { [value] } }"
          elif .kind.identifier == "swift.protocol" then
            "public func name\($number)(_ value: any \($name)) -> Any { [value] }"
          elif .kind.identifier == "swift.init" and ($classes | any(. == $inside)) then
            "extension \($inside | join(".")) { \(making($number)) }"
          else empty end' "$1"
}

# Compiles the programs of the article on GTK in release mode, and beside them one that uses every public
# type of every product. In the folder of the steps of GTK, which keep it from one run to the next.
check_types() {
    local package=$GTK_BUILD/types types=$GTK_BUILD/types/Sources/types count module headers
    local modules=($(names_of .library)) names products=''
    "$ROOT/Scripts/pages.sh" --program GTK "$package"
    names=$(printf '"%s", ' "${all_traits[@]}")
    for module in "${modules[@]}"; do
        products+=".product(name: \"$module\", package: \"kingfisher-linux\"), "
    done
    headers=($(names_of system | grep 'Headers$'))
    sed -i -e "s/traits: \[\"GTK\"\]/traits: [${names%, }]/" -e "s/^    targets: \[/&\\
        .executableTarget(name: \"types\", dependencies: [\"CAlbumGTK\", $products]),/" "$package/Package.swift"
    mkdir -p "$types"
    : >"$types/main.swift"
    for module in "${modules[@]}"; do printf 'import %s\n' "$module" >"$types/$module.swift"; done
    build_types() {
        # SwiftPM passes the names of traits in the order of a set, and other arguments build everything again.
        SWIFT_DETERMINISTIC_HASHING=1 build_package "$package" "$GTK_BUILD" -c release >"$folder/log" 2>&1 || {
            grep 'error:' "$folder/log" >&2
            die "a program of the article, or one with every public type, does not compile (see above)."
        }
    }
    say "Building the programs of the article on GTK and one that uses every public type, release"
    build_types
    for module in "${modules[@]}"; do
        extract_symbols "$module" "$folder" "$GTK_BUILD" release
        {
            printf 'import %s\n' "${headers[@]}" Foundation FoundationNetworking Kingfisher "$module"
            use_types "$folder/$module.symbols.json"
        } >"$types/$module.swift"
        count=$(grep -c 'func name' "$types/$module.swift") || die "$module has no public types."
        say "$module: $count types"
    done
    build_types
}

case $only in
--names) version; check_names; exit ;;
--types) check_types; exit ;;
esac
version
printf '| trait | mode | clean build | CPU | packages | program | shared libraries |\n'
printf '|---|---|---|---|---|---|---|\n'
for trait in "${traits[@]}"; do
    measure "$trait" debug
    measure "$trait" release
done

import Foundation

/// Lists of formats that the compiler does not check.
enum FormatRules {
    private static let source = "Sources/KFCodecs/Base/FileFormat.swift"

    /// The files, how their lines with the list begin, and whether it has suffixes of file names.
    private static let lists: [(path: String, beginning: String, hasSuffixes: Bool)] = [
        // The strings of `endings`, in lines of their own.
        ("Tools/Sources/kf/Convert/InputSearch.swift", "        \"", true),
        ("README.md", "| JPEG, ", false),
        ("Scripts/isolation.sh", "        \"$FIXTURES\"/", true),
        ("Tests/Isolation/spy.c", "// Watched: ", false),
        ("Sources/Kingfisher/Kingfisher.docc/OnLinux.md", "| Formats | ", false),
    ]

    static var paths: [String] { [source] + lists.map(\.path) }

    /// The formats that a list does not have.
    static func missingFormats(in tree: SourceTree) -> [String] {
        let text = tree.files[source] ?? ""
        let formats = text.matches(of: /\n +case (\w+)/).map { String($0.1) }
        return lists.flatMap { path, beginning, hasSuffixes in
            let lines = (tree.files[path] ?? "").lines.filter { $0.hasPrefix(beginning) }
            let words = Set(lines.flatMap(words(of:)))
            return formats.map { hasSuffixes ? suffixes[$0] ?? $0 : names[$0] ?? $0 }
                .filter { !words.contains($0) }
                .map { "\(path) lacks \($0)" }
        }
    }

    /// The usual suffixes that are not the name of the case.
    private static let suffixes = ["jpeg": "jpg", "heif": "heic"]
    /// The names for readers that are not the name of the case, in lower case.
    private static let names = ["heif": "heic"]

    private static func words(of line: Substring) -> [String] {
        line.lowercased().replacing("jpeg xl", with: "jxl")
            .split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
}

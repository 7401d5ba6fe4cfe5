import Foundation

/// The promise of *Where a change goes* in `CONTRIBUTING.md`: all that it names exists.
enum ContributingRules {
    private static let heading = "### Where a change goes"
    /// The folders below which the section gives paths.
    private static let roots = ["", "Sources/Kingfisher/", "Server/Sources/KingfisherServer/"]
    private static let suffixes = [
        ".swift", ".md", ".c", ".h", ".sh", ".json", ".py", ".jpg",
    ]
    private static let keywords = [
        "class", "struct", "enum", "actor", "protocol", "typealias", "func", "let", "var", "case",
    ]
    /// Words that are neither files nor declarations here.
    private static let otherWords: Set = ["RECORD", "switch", "Vary"]

    /// What stands between backticks in the section, without arguments and parameters.
    static func names(in page: String) -> [String] {
        guard let section = page.divided(before: heading)?.1 else { return [] }
        let text = section.divided(before: "\n## ")?.0 ?? section
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { index in
            String(parts[index].prefix { $0 != " " && $0 != "(" })
        }
    }

    /// The names of the section that no file, no folder and no declaration has.
    ///
    /// - Parameters:
    ///   - page: The text of `CONTRIBUTING.md`.
    ///   - tree: The files with declarations.
    ///   - places: The paths of all files and folders.
    /// - Returns: The names in the order of the page.
    static func missingNames(in page: String, _ tree: SourceTree, _ places: Set<String>) -> [String]
    {
        let lastNames = Set(places.compactMap { $0.split(separator: "/").last.map(String.init) })
        let paths = tree.paths
        var seen = otherWords
        return names(in: page).filter { name in
            guard seen.insert(name).inserted else { return false }
            if name.contains("/") {
                return !roots.contains { places.contains($0 + name) }
            }
            if lastNames.contains(name) { return false }
            if suffixes.contains(where: name.hasSuffix) { return true }
            // Others, such as `User-Agent`, are no names of the code.
            let isName = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
            return isName && !isDeclared(name, in: tree, paths)
        }
    }

    /// Whether a type, or the member after a full stop, is declared.
    private static func isDeclared(
        _ name: String,
        in tree: SourceTree,
        _ paths: [String]
    ) -> Bool {
        let parts = name.split(separator: ".").map(String.init)
        guard let owner = parts.first, let last = parts.last else { return false }
        func declares(_ path: String) -> Bool {
            guard let text = tree.files[path], text.holds(last) else { return false }
            return parts.dropLast().allSatisfy { text.holds($0) } && declaration(of: last, in: text)
        }
        // Most types have a file of their name; to search all takes longer.
        return paths.contains { $0.holds(owner) && declares($0) } || paths.contains(where: declares)
    }

    private static func declaration(of name: String, in text: String) -> Bool {
        keywords.contains { keyword in
            let words = "\(keyword) \(name)"
            var rest = text[...]
            while let found = rest.divided(before: words)?.1 {
                rest = found.dropFirst(words.count)
                guard let next = rest.first, next.isLetter || next.isNumber || next == "_" else {
                    return true
                }
            }
            return false
        }
    }

    /// The paths of the files and folders of this repository, as far as the section names them.
    static func places() throws -> Set<String> {
        let files = FileManager.default
        var places = Set(try files.contentsOfDirectory(atPath: SourceTree.repository.path))
        for folder in ["Sources", "Tools", "Server", "Tests", "Scripts", "Examples", "Deploy"] {
            let top = SourceTree.repository.appendingPathComponent(folder, isDirectory: true)
            guard let names = files.enumerator(atPath: top.path) else { continue }
            for case let name as String in names where !SourceTree.isBuilt(name) {
                places.insert("\(folder)/\(name)")
            }
        }
        return places
    }
}

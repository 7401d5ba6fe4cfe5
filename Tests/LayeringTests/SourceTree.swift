import Foundation

/// The files of a part of the repository as text, by their paths from its root.
///
/// The rules are pure functions of such a tree, so that tests can pass made-up trees with a
/// violation.
struct SourceTree {
    /// The files by path, for example `Sources/Pixels/Bitmap.swift`.
    var files: [String: String]

    /// The paths in a fixed order, so that reports have the same order every time.
    var paths: [String] { files.keys.sorted() }

    /// The root of the repository that this file belongs to.
    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    init(_ files: [String: String]) {
        self.files = files
    }

    /// Reads every file with one of the suffixes below the given folders; a missing folder adds
    /// nothing.
    init(reading folders: [String], suffixes: [String] = [".swift"]) throws {
        files = [:]
        for folder in folders {
            let top = Self.repository.appendingPathComponent(folder, isDirectory: true)
            guard let names = FileManager.default.enumerator(atPath: top.path) else { continue }
            for case let name as String in names
            where suffixes.contains(where: name.hasSuffix) && !name.hasPrefix(".build") {
                let text = try String(contentsOf: top.appendingPathComponent(name), encoding: .utf8)
                files["\(folder)/\(name)"] = text
            }
        }
    }

    /// The files below `folder`, by their paths from it.
    func below(_ folder: String) -> [String: String] {
        var found: [String: String] = [:]
        for (path, text) in files where path.hasPrefix(folder + "/") {
            found[String(path.dropFirst(folder.count + 1))] = text
        }
        return found
    }
}

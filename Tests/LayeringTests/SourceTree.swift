import Foundation

/// The files of a part of the repository as text, by their paths from its root.
///
/// The rules are pure functions of such a tree, so that tests can pass made-up trees with a
/// violation.
struct SourceTree {
    /// The files by path, for example `Sources/KFPixels/Bitmap.swift`.
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
            where suffixes.contains(where: name.hasSuffix) && !Self.isBuilt(name) {
                let text = try String(contentsOf: top.appendingPathComponent(name), encoding: .utf8)
                files["\(folder)/\(name)"] = text
            }
        }
    }

    /// Whether a path leads into a folder of builds.
    static func isBuilt(_ path: String) -> Bool {
        path.hasPrefix(".build") || path.contains("/.build")
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

extension StringProtocol {
    /// The number of bytes before the first `word`; nil without one.
    ///
    /// In a debug build this takes a small part of the time of `contains` and of regular
    /// expressions, which most lines need not be shown.
    private func offset(of word: String) -> Int? {
        let word = Array(word.utf8)
        return word.withUnsafeBytes { word in
            var text = String(self)
            return text.withUTF8 { bytes -> Int? in
                guard let start = UnsafeRawBufferPointer(bytes).baseAddress,
                    let wanted = word.baseAddress
                else { return nil }
                var left = bytes.count - word.count + 1
                var place = start
                while left > 0, let found = memchr(place, Int32(word[0]), left) {
                    let found = UnsafeRawPointer(found)
                    if memcmp(found, wanted, word.count) == 0 { return found - start }
                    left -= found + 1 - place
                    place = found + 1
                }
                return nil
            }
        }
    }

    /// Whether the bytes of a word are part of the text.
    func holds(_ word: String) -> Bool { offset(of: word) != nil }

    /// The text before the first `word`, and from it on; nil without one.
    func divided(before word: String) -> (SubSequence, SubSequence)? {
        guard let offset = offset(of: word) else { return nil }
        let index = utf8.index(startIndex, offsetBy: offset)
        return (self[..<index], self[index...])
    }
}

extension String {
    /// The lines, with empty ones.
    var lines: [Substring] {
        utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map(Substring.init)
    }
}

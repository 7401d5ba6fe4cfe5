import Foundation
import Testing

/// A format is named in every list of formats.
struct FormatRulesTests {
    private static func tree() throws -> SourceTree {
        var tree = SourceTree([:])
        for path in FormatRules.paths {
            let file = SourceTree.repository.appendingPathComponent(path)
            tree.files[path] = try String(contentsOf: file, encoding: .utf8)
        }
        return tree
    }

    @Test func `folder searches and the pages name every format`() throws {
        #expect(FormatRules.missingFormats(in: try Self.tree()) == [])
    }

    @Test(arguments: ["jpeg", "heif", "jxl", "svg", "fresh"])
    func `a format that a list lacks is found`(format: String) throws {
        var tree = try Self.tree()
        tree.files["Sources/KFCodecs/Base/FileFormat.swift"] =
            "enum FileFormat {\n    case \(format)\n}"
        let found = FormatRules.missingFormats(in: tree)
        #expect(found.count == (format == "fresh" ? 3 : 0))
        tree.files["README.md"] = "| JPEGs, WebP | an image |"
        #expect(FormatRules.missingFormats(in: tree).count == (format == "fresh" ? 3 : 1))
    }
}

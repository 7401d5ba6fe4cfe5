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
        #expect(found.count == (format == "fresh" ? 5 : 0))
        tree.files["README.md"] = "| JPEGs, WebP | an image |"
        #expect(FormatRules.missingFormats(in: tree).count == (format == "fresh" ? 5 : 1))
    }

    @Test func `a library that is loaded on demand is in every list of packages`() throws {
        func text(_ path: String) throws -> String {
            let file = SourceTree.repository.appendingPathComponent(path)
            return try String(contentsOf: file, encoding: .utf8)
        }
        let source = try text("Sources/KFCodecs/OptionalFormats/OptionalFormat.swift")
        let libraries = source.matches(of: /\(package (lib[a-z]+)/).map { String($0.1) }
        #expect(libraries.count > 3)
        for path in [
            "Scripts/bootstrap.sh", "Scripts/walls.sh", "Scripts/package.sh", "Deploy/build.sh",
            "INSTALL.md", "SECURITY.md",
        ] {
            let page = try text(path)
            for library in libraries { #expect(page.contains(library), "\(path): \(library)") }
        }
        // One pattern for all, without their beginnings.
        let image = try text("Deploy/image.sh")
        for library in libraries { #expect(image.contains(library.dropFirst(3)), "\(library)") }
    }
}

import Foundation
import Testing

/// Every Swift snippet of the documentation compiles.
///
/// The snippets are stored as files in `Snippets`, which every build compiles, and these tests
/// check that the files match the pages. After a page has changed, run
///
///     RECORD=1 swift test --disable-xctest --filter DocumentationTests
///
/// which rewrites the files and fails; the next build then compiles them.
struct DocumentationTests {
    static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    static let repository = tests.deletingLastPathComponent().deletingLastPathComponent()
    static let folder = tests.appendingPathComponent("Snippets", isDirectory: true)

    let snippets: [Snippet]

    init() throws {
        var found: [Snippet] = []
        for page in try Self.pages() {
            let file = Self.repository.appendingPathComponent(page)
            found += Snippet.all(in: try String(contentsOf: file, encoding: .utf8), page: page)
        }
        snippets = found.filter { $0.kind != .manifest }
    }

    @Test func `the compiled snippets are those of the documentation`() throws {
        let expected = Dictionary(
            snippets.map { ($0.fileName, $0.file) },
            uniquingKeysWith: { first, _ in first }
        )
        #expect(expected.count == snippets.count, "two pages have the same name")
        let present = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        var current: [String: String] = [:]
        for name in present where name.hasSuffix(".swift") {
            let file = Self.folder.appendingPathComponent(name)
            current[name] = try String(contentsOf: file, encoding: .utf8)
        }
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try record(expected, replacing: current)
            Issue.record("the snippets were written anew; build and run again without RECORD")
            return
        }
        #expect(Set(current.keys) == Set(expected.keys), "run with RECORD=1")
        for (name, text) in expected {
            #expect(current[name] == text, "\(name) is not what the page says; run with RECORD=1")
        }
    }

    @Test func `the README and the recipes show five ways or more`() {
        #expect(snippets.contains { $0.page == "README.md" })
        let pages = ["README.md", "Sources/Kingfisher/Kingfisher.docc/Recipes.md"]
        #expect(snippets.filter { pages.contains($0.page) }.count >= 5)
    }

    private func record(_ expected: [String: String], replacing old: [String: String]) throws {
        for name in old.keys where expected[name] == nil {
            try FileManager.default.removeItem(at: Self.folder.appendingPathComponent(name))
        }
        for (name, text) in expected where old[name] != text {
            let file = Self.folder.appendingPathComponent(name)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
    }

    /// The pages with snippets: those at the root, and the library's own documentation.
    private static func pages() throws -> [String] {
        let root = ["README.md", "CONTRIBUTING.md"]
        let catalog = "Sources/Kingfisher/Kingfisher.docc"
        let articles = FileManager.default.enumerator(
            atPath: repository.appendingPathComponent(catalog).path
        )
        let names = articles?.compactMap { $0 as? String } ?? []
        return root + names.filter { $0.hasSuffix(".md") }.sorted().map { "\(catalog)/\($0)" }
    }
}

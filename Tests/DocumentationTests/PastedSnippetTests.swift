import Foundation
import Testing

/// The snippets compile as a `main.swift`, exactly as the page shows them.
///
/// ``DocumentationTests`` compiles them as the body of a function.
@Suite(
    .serialized,
    .timeLimit(.minutes(5)),
    .enabled(if: SnippetCompiler.isAvailable, "needs swiftc and the modules of a build")
)
struct PastedSnippetTests {
    @Test func `every snippet is a main.swift as it stands`() throws {
        // Those of GTK need its headers, and the build with the trait compiles them.
        let snippets = try DocumentationTests().snippets.filter { $0.kind != .gtk }
        #expect(!snippets.isEmpty)
        for snippet in snippets {
            let (status, words) = try SnippetCompiler.check(snippet.code)
            #expect(status == 0, "\(snippet.fileName):\n\(words)")
        }
    }

    @Test func `code that is invalid in a main.swift is rejected`() throws {
        let code = "import Foundation\nguard let a = URL(string: \"b\") else { return }\nprint(a)"
        #expect(try SnippetCompiler.check(code).status != 0)
    }
}

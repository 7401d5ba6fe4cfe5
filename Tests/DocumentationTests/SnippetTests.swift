import Testing

struct SnippetTests {
    static let page = """
        # Title

        ```swift
        import Kingfisher

        let a = 1
        ```

        ```sh
        swift build
        ```

        <!-- snippet: file -->
        ```swift
        import Foundation
        import Kingfisher

        struct B {}
        ```

        <!-- snippet: manifest -->
        ```swift
        .package(path: "..")
        ```
        """

    let snippets = Snippet.all(in: page, page: "README.md")

    @Test func `swift blocks are found, others are not`() {
        #expect(snippets.map(\.code.isEmpty) == [false, false, false])
        #expect(snippets.map(\.kind) == [.body, .file, .manifest])
        #expect(snippets.map(\.fileName) == ["README.1.swift", "README.2.swift", "README.3.swift"])
    }

    @Test func `statements become a function below their imports`() {
        #expect(
            snippets[0].file.hasSuffix(
                "\nimport Kingfisher\n\nprivate func snippet() async throws {\nlet a = 1\n}\n"
            )
        )
    }

    @Test func `declarations stay at the top of the file`() {
        #expect(
            snippets[1].file.hasSuffix("import Foundation\nimport Kingfisher\n\nstruct B {}\n")
        )
    }
}

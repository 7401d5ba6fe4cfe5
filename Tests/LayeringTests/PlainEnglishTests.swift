import Testing

/// Comments of the sources, and names of tests, are plain English.
struct PlainEnglishTests {
    @Test func `comments of the sources have no phrase of the list`() throws {
        let tree = try SourceTree(reading: ["Sources"], suffixes: [".swift", ".c", ".h"])
        report(PlainEnglish.findings(in: tree))
    }

    @Test func `names of tests have no phrase of the list`() throws {
        let folders = ["Tests", "Server/Tests", "Tools/Tests", "Examples"]
        let tree = try SourceTree(reading: folders, suffixes: [".swift"])
        report(PlainEnglish.findings(in: tree, namesAlone: true))
    }

    private func report(_ findings: [PlainEnglish.Finding]) {
        for finding in findings {
            Issue.record("\(finding.place): write \(finding.instead), not \"\(finding.phrase)\"")
        }
    }

    @Test(
        arguments: [
            "// It waits for ever.", "/// Tells the observers.", "let a = 1  // nobody needs it",
            " * Prolongs the entry.", "/// a Picture", "@Test func " + "`a user is told`() {",
        ]
    )
    func `a phrase in a comment or in the name of a test is found`(line: String) {
        #expect(count(of: line) == 1)
    }

    @Test(
        arguments: [
            "let nobody = 1",
            "/// A `picture` of ``picture(of:)``.", "/// It is behind the button.",
            "/// The GtkPicture of the view.", "let text = \"tells\"",
            "///   - picture: The image.", "/// ```\n/// picture = image\n/// ```",
        ]
    )
    func `code and good English are not`(line: String) {
        #expect(count(of: line) == 0)
    }

    /// How many phrases a text has.
    private func count(of text: String) -> Int {
        PlainEnglish.findings(in: SourceTree(["Sources/A.swift": text])).count
    }
}

import Testing

/// Comments of the sources are plain English.
struct PlainEnglishTests {
    @Test func `comments of the sources have no phrase of the list`() throws {
        let tree = try SourceTree(reading: ["Sources"], suffixes: [".swift", ".c", ".h"])
        for finding in PlainEnglish.findings(in: tree) {
            Issue.record("\(finding.place): write \(finding.instead), not \"\(finding.phrase)\"")
        }
    }

    @Test(
        arguments: [
            "// It waits for ever.", "/// Tells the observers.", "let a = 1  // nobody needs it",
            " * Prolongs the entry.", "/// a Picture",
        ]
    )
    func `a phrase in a comment is found`(line: String) {
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

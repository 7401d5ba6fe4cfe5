import Foundation
import Testing

/// What `CONTRIBUTING.md` names exists.
struct ContributingTests {
    @Test func `all files and names of where a change goes exist`() throws {
        let file = SourceTree.repository.appendingPathComponent("CONTRIBUTING.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        #expect(ContributingRules.names(in: page).count > 100)
        let tree = try SourceTree(
            reading: ["Sources", "Tools", "Server", "Tests", "Scripts", "Examples"],
            suffixes: [".swift", ".c", ".h"]
        )
        let places = try ContributingRules.places()
        #expect(ContributingRules.missingNames(in: page, tree, places) == [])
    }

    @Test func `a file, a type and a member that are gone are found`() {
        let path = "Sources/Kingfisher/Support/Shape.swift"
        let tree = SourceTree([
            path: "struct Shape {\n    static let sides = 4\n    func drawing() {}\n}\n"
        ])
        let page = """
            `Gone`
            ### Where a change goes
            `Shape`, `Shape.sides`, `Shape.draw`, `Sha`, `drawing(on:)`, `Shape.swift`, `Gone.swift`,
            `Support/Shape.swift`, `Shape/Shape.swift`, `Support`, `Scripts/gone.sh all`, `RECORD=1`,
            `User-Agent`, `Sha`
            ## Glossary
            `Gone`
            """
        let places: Set = [path, "Sources/Kingfisher/Support"]
        let missing = ContributingRules.missingNames(in: page, tree, places)
        #expect(
            missing
                == ["Shape.draw", "Sha", "Gone.swift", "Shape/Shape.swift", "Scripts/gone.sh"]
        )
    }
}

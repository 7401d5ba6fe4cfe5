import Foundation
import Testing

/// The migration page matches the list of declarations.
struct MigrationPageTests {
    private static let file = DocumentationTests.repository
        .appendingPathComponent("Sources/Kingfisher/Kingfisher.docc/Migration.md")

    private static func contract(_ name: String) throws -> String {
        let folder = DocumentationTests.repository.appendingPathComponent("Tests/Contract")
        return try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    @Test func `the page agrees with the list of declarations`() throws {
        let page = MigrationPage(
            list: try Self.contract("api.txt"),
            notes: try Self.contract("migration.txt")
        )
        #expect(page.complaints.isEmpty, "see Tests/Contract/migration.txt")
        if ProcessInfo.processInfo.environment["RECORD"] == "1" {
            try page.text.write(to: Self.file, atomically: true, encoding: .utf8)
            Issue.record("the page was written anew; run again without RECORD")
            return
        }
        let current = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(current == page.text, "run with RECORD=1")
    }

    private static let list = """
        # 1 Things
        portable\t\tclass Same
        portable\tSame\tfunc go()
        adapt\t\tstruct Other
        portable\t\tclass Half
        -apple\tHalf\tfunc glow(by amount: Int)\tneeds UIKit
        -apple\t\tstruct Gone\tneeds UIKit
        # 2 Options
        portable\t\tenum KingfisherOptionsInfoItem
        portable\tKingfisherOptionsInfoItem\tcase plain
        adapt\tKingfisherOptionsInfoItem\tcase bent(Int)
        """
    private static let notes = """
        Words above.

        Other\tof our own
        Half\tglows not
        Gone\tuse Same
        KingfisherOptionsInfoItem\tall there
        KingfisherOptionsInfoItem.bent\tby hand
        """

    @Test func `types and options are the same, adapted or absent`() {
        let page = MigrationPage(list: Self.list, notes: Self.notes)
        #expect(page.complaints.isEmpty)
        for row in [
            "| `Same` | the same | |", "| `Other` | adapted | of our own |",
            "| `Half` | the same, without `glow` (needs UIKit) | glows not |",
            "| `Gone` | absent: needs UIKit | use Same |", "| `.plain` | the same |  |",
            "| `.bent` | adapted | by hand |",
        ] {
            #expect(page.text.contains(row + "\n"), "\(row)")
        }
    }

    @Test func `a name without a note is reported, and a note without a name`() {
        let notes = Self.notes.replacingOccurrences(of: "Gone\t", with: "Lost\t")
        let page = MigrationPage(list: Self.list, notes: notes)
        #expect(page.complaints == ["Gone needs a note", "nothing needs the note on Lost"])
    }
}

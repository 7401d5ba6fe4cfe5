import Foundation
import Kingfisher
import Testing

/// `kf sheet`.
@Suite(.timeLimit(.minutes(1)))
struct SheetTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "in"),
            withIntermediateDirectories: true
        )
        for number in 0..<7 {
            try TestPictures.jpeg().write(to: folder.url.appending(path: "in/\(number).jpg"))
        }
    }

    @Test func `all images of a folder are on one page, in rows`() async throws {
        let outcome = try await KFProgram.run(
            ["sheet", "in", "-o", "in/sheet.png", "--cell", "80x60", "--columns", "3"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("7 images → in/sheet.png  288 × 270"), "\(outcome.text)")
        let page = try #require(KFCrossPlatformImage(data: try folder.data("in/sheet.png")))
        #expect(page.size == CGSize(width: 288, height: 270))
        // Written again, the page itself is not one of the images.
        let again = try await KFProgram.run(
            ["sheet", "in", "-o", "in/sheet.png", "--cell", "80x60", "--columns", "3", "--json"],
            in: folder
        )
        #expect(try GetTests.fields(again)["images"] as? Int == 7)
    }

    @Test(arguments: ["sheet", "animate"])
    func `a file whose name cannot be read is not left out silently`(
        command: String
    ) async throws {
        // Neither the new file nor the output leads anywhere.
        let script = #"""
            cp in/0.jpg $'in/b\xff.jpg'; "$0" "$1" in -o new.webp
            """#
        let outcome = try await KFProgram.bash(script, [command], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("UTF-8"), "\(outcome.errors)")
    }

    @Test func `the reasons are listed if no image can be read`() async throws {
        try Data("no image".utf8).write(to: folder.url.appending(path: "bad.jpg"))
        let outcome = try await KFProgram.run(["sheet", "bad.jpg", "-o", "s.png"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("bad.jpg: "), "\(outcome.errors)")
        #expect(outcome.errors.contains("none of the images"))
    }

    @Test(arguments: ["sheet in", "trace in/0.jpg in/bad.jpg"])
    func `the reasons are listed if the output cannot be written`(line: String) async throws {
        try Data("no image".utf8).write(to: folder.url.appending(path: "in/bad.jpg"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("full.png"),
            withDestinationPath: "/dev/full"
        )
        let words = line.split(separator: " ").map(String.init)
        let outcome = try await KFProgram.run(words + ["-o", "full.png"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("in/bad.jpg: "), "\(outcome.errors)")
        #expect(outcome.errors.contains("No space left on device"), "\(outcome.errors)")
    }

    @Test func `unreadable images are listed, and impossible pages refused`() async throws {
        try Data("no image".utf8).write(to: folder.url.appending(path: "in/bad.jpg"))
        let outcome = try await KFProgram.run(["sheet", "in", "-o", "sheet.jpg"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("in/bad.jpg"))
        #expect(outcome.text.hasPrefix("7 images → sheet.jpg"))
        for arguments in [
            ["-o", "sheet"], ["-o", "s.png", "--columns", "0"], ["-o", "s.png", "--cell", "1x1"],
        ] {
            let wrong = try await KFProgram.run(["sheet", "in"] + arguments, in: folder)
            #expect(wrong.status == 64)
        }
    }
}

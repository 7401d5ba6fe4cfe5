import Foundation
import Kingfisher
import Testing

/// `kf icon`.
@Suite(.timeLimit(.minutes(1)))
struct IconTests {
    @Test func `an icon holds a square PNG of each size`() async throws {
        let folder = try TemporaryFolder()
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
        let outcome = try await KFProgram.run(
            ["icon", "in.jpg", "-o", "favicon.ico", "--sizes", "256,16,16"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("favicon.ico  16, 256 pixels"), "\(outcome.text)")
        let data = try folder.data("favicon.ico")
        #expect(Array(data.prefix(8)) == [0, 0, 1, 0, 2, 0, 16, 16])
        #expect(Array(data[22..<24]) == [0, 0])
        let info = try ImageFileInfo(data: data)
        #expect(info.formatName == "ico")
        // Readers take the largest.
        #expect(KFCrossPlatformImage(data: data)?.size == CGSize(width: 256, height: 256))
        let wrong = try await KFProgram.run(
            ["icon", "in.jpg", "-o", "a.ico", "--sizes", "257"],
            in: folder
        )
        #expect(wrong.status == 64)
        let other = try await KFProgram.run(["icon", "in.jpg", "-o", "a.png"], in: folder)
        #expect(other.status == 64)
        #expect(other.errors.contains(".ico"), "\(other.errors)")
    }

    @Test func `an icon of an animation shows its first frame, and says so`() async throws {
        let folder = try TemporaryFolder()
        for (name, level) in [("a.png", UInt8(0)), ("b.png", 200)] {
            try TestPictures.solid(level, width: 40, height: 30)
                .write(to: folder.url.appending(path: name))
        }
        _ = try await KFProgram.run(["animate", "a.png", "b.png", "-o", "c.gif"], in: folder)
        let outcome = try await KFProgram.run(["icon", "c.gif", "-o", "c.ico"], in: folder)
        #expect(outcome.status == 0)
        #expect(outcome.errors == "kf: c.gif: took the first of 2 frames\n")
    }

    @Test func `the time limit holds for all sizes together`() async throws {
        let folder = try TemporaryFolder()
        try TestPictures.png().write(to: folder.url.appending(path: "small.png"))
        // Decoding it takes a thirtieth of the time that all sizes take.
        _ = try await KFProgram.run(
            ["get", "small.png", "-p", "resize:4000x4000:none", "-o", "in.png"],
            in: folder
        )
        let sizes = (1...256).map(String.init).joined(separator: ",")
        let outcome = try await KFProgram.run(
            ["icon", "in.png", "-o", "a.ico", "--sizes", sizes, "--timeout", "0.3"],
            in: folder
        )
        #expect(outcome.status == 1, "\(outcome.text)")
        #expect(outcome.errors.contains("timed out after 0.3 s"), "\(outcome.errors)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("a.ico")))
    }
}

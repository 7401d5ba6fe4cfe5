import Foundation
import Kingfisher
import Testing

/// `kf placeholder`.
@Suite(.timeLimit(.minutes(1)))
struct PlaceholderTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
    }

    private func run(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(["placeholder"] + arguments + ["--cache", "cache"], in: folder)
    }

    @Test func `json has hashes, colour and an image that can be shown`() async throws {
        let outcome = try await run("in.jpg", "--json", "--components", "5x2")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let fields = try GetTests.fields(outcome)
        let names: Set = ["source", "thumbHash", "blurHash", "dominantColor", "dataURL", "status"]
        #expect(Set(fields.keys) == names)

        let thumbHash = try #require(fields["thumbHash"] as? String)
        let thumbBytes = try #require(Data(base64Encoded: thumbHash))
        let thumb = try #require(KFCrossPlatformImage(thumbHash: thumbBytes))
        #expect(thumb.pixelWidth > thumb.pixelHeight)
        let blurHash = try #require(fields["blurHash"] as? String)
        #expect(blurHash.count == 4 + 2 * 5 * 2)
        let size = CGSize(width: 16, height: 12)
        #expect(KFCrossPlatformImage(blurHash: blurHash, size: size) != nil)

        let prefix = "data:image/png;base64,"
        let url = try #require(fields["dataURL"] as? String)
        #expect(url.hasPrefix(prefix))
        let png = try #require(Data(base64Encoded: String(url.dropFirst(prefix.count))))
        #expect(KFCrossPlatformImage(data: png)?.size == size)
        #expect(try GetTests.isRed(TestPictures.pixel(png, x: 2, y: 5)))
        // The image contains only red and blue.
        let color = try #require(fields["dominantColor"] as? String)
        #expect(color.hasPrefix("#") && color.count == 7)
    }

    @Test func `the summary has one thing a line`() async throws {
        let outcome = try await run("in.jpg")
        let lines = outcome.text.split(separator: "\n").map { $0.prefix { $0 != " " } }
        #expect(lines == ["thumbhash", "blurhash", "colour", "data"])
    }

    @Test func `bytes that are not an image are an error`() async throws {
        try Data("<html>".utf8).write(to: folder.url.appending(path: "page.html"))
        let outcome = try await run("page.html")
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("kf: error"), "\(outcome.errors)")
    }
}

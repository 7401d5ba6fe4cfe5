import Foundation
import Kingfisher
import Testing

/// `kf srcset`.
@Suite(.timeLimit(.minutes(1)))
struct SrcsetTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.jpeg(width: 640, height: 480)
            .write(to: folder.url.appending(path: "a photo.jpg"))
        try Data("no image".utf8).write(to: folder.url.appending(path: "bad.jpg"))
    }

    private func run(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(["srcset"] + arguments, in: folder)
    }

    @Test func `lossless files are webp and png, and no format that is lossy`() async throws {
        let outcome = try await run("a photo.jpg", "-o", "web", "--widths", "64", "--lossless")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let files = try ["webp", "png"].map { try folder.data("web/a photo-64.\($0)") }
        let images = files.map { KFCrossPlatformImage(data: $0)?.pngData() }
        #expect(images[0] != nil && images[0] == images[1])
        let lossy = try await run("a photo.jpg", "-o", "x", "--formats", "webp,jpeg", "--lossless")
        #expect(lossy.status != 0)
        #expect(lossy.errors.contains("jpeg cannot keep every pixel"))
    }

    @Test func `each width and format is written, and the HTML names them`() async throws {
        let outcome = try await run(
            "a photo.jpg",
            "-o",
            "web",
            "--widths",
            "100,300,900",
            "--formats",
            "webp,jpeg",
            "--base",
            "/i/",
            "--sizes",
            "(max-width: 40em) 100vw, 50vw"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("web"))
        // No width above that of the image, and its own instead.
        let stems = [100, 300, 640].map { "a photo-\($0)" }
        #expect(names.sorted() == stems.flatMap { ["\($0).jpg", "\($0).webp"] }.sorted())
        let small = try ImageFileInfo(data: try folder.data("web/a photo-100.webp"))
        #expect(small.format == .WebP && small.size == CGSize(width: 100, height: 75))
        let html = outcome.text
        #expect(
            html.hasPrefix("<picture>\n  <source type=\"image/webp\" srcset=\"/i/a%20photo-100")
        )
        #expect(
            html.contains("/i/a%20photo-640.jpg 640w\" sizes=\"(max-width: 40em) 100vw, 50vw\"")
        )
        #expect(html.contains("width=\"640\" height=\"480\""))
        #expect(html.hasSuffix("</picture>\n"))
    }

    @Test func `a name with a colon is no scheme in the HTML`() async throws {
        let photo = try TestPictures.jpeg(width: 64, height: 48)
        try photo.write(to: folder.url.appending(path: "a:b.jpg"))
        let outcome = try await run("a:b.jpg", "-o", "web", "--widths", "20", "--formats", "jpeg")
        #expect(outcome.text.contains("src=\"a%3Ab-20.jpg\""), "\(outcome.text)")
    }

    @Test func `a format that is named twice counts once`() async throws {
        let options = ["--widths", "50", "--formats", "png,jpg,png,jpeg", "--json"]
        let outcome = try await KFProgram.run(
            ["srcset", "a photo.jpg", "-o", "web"] + options,
            in: folder
        )
        let files = try GetTests.fields(outcome)["files"] as? [[String: Any]]
        #expect(files?.map { $0["format"] as? String } == ["png", "jpeg"])
    }

    @Test func `white space and commas of the base do not end an address`() async throws {
        let options = ["--widths", "50", "--formats", "png", "--base", "my i,\tw_5%20/"]
        let outcome = try await KFProgram.run(
            ["srcset", "a photo.jpg", "-o", "web"] + options,
            in: folder
        )
        let address = "my%20i%2C%09w_5%20/a%20photo-50.png"
        #expect(outcome.text.contains("srcset=\"\(address) 50w\""), "\(outcome.text)")
        #expect(outcome.text.contains("src=\"\(address)\""), "\(outcome.text)")
    }

    @Test func `a source that fails does not stop the others`() async throws {
        let outcome = try await run(
            "bad.jpg",
            "a photo.jpg",
            "-o",
            "web",
            "--widths",
            "50",
            "--formats",
            "png",
            "--json"
        )
        #expect(outcome.status == 1)
        let lines = try outcome.text.split(separator: "\n").map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
        }
        #expect(lines.map { $0["status"] as? String } == ["failed", "done", "done"])
        #expect(
            (lines[1]["files"] as? [[String: Any]])?.first?["name"] as? String
                == "a photo-50.png"
        )
    }

    @Test(arguments: [
        ["--widths", "0"], ["--widths", "a,b"], ["--formats", "heic"], ["--quality", "101"],
    ])
    func `wrong values are refused`(arguments: [String]) async throws {
        let outcome = try await KFProgram.run(
            ["srcset", "a photo.jpg", "-o", "web"] + arguments,
            in: folder
        )
        #expect(outcome.status == 64)
    }
}

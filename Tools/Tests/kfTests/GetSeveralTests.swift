import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// `kf get` with several sources, or a folder to write to.
@Suite(.timeLimit(.minutes(1)))
struct GetSeveralTests {
    let folder: TemporaryFolder
    let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        let photo = try TestPictures.jpeg()
        server = try LoopbackServer { path, _ in
            path.contains(".jpg") || path == "/" ? .init(body: photo) : nil
        }
    }

    private func get(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(["get", "--cache", "cache"] + arguments, in: folder)
    }

    /// The names in the output folder.
    private func names(_ folderName: String = "out") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(folderName)).sorted()
    }

    @Test func `each image has the name of its source, numbered where it repeats`() async throws {
        let outcome = try await get(
            server.url("/a.jpg"),
            server.url("/sub/a.jpg?size=2"),
            server.url("/Stra%C3%9Fe.jpg"),
            server.url("/"),
            "-o",
            "out/",
            "--format",
            "webp"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names() == ["Straße.webp", "a-2.webp", "a.webp", "image.webp"])
        #expect(try folder.data("out/a.webp").kf.imageFormat == .WebP)
        #expect(outcome.text.contains("→ out/a-2.webp"), "\(outcome.text)")
    }

    @Test(arguments: [
        (["/a", "/sub/a"], ["a-2.jpg", "a.jpg"]),
        (["/a", "/a.jpg", "/sub/a"], ["a-2.jpg", "a-3.jpg", "a.jpg"]),
        (["/a", "/a.jpg", "/a-2.jpg"], ["a-2.jpg", "a-3.jpg", "a.jpg"]),
        (["/a", "/sub/a", "/a-2"], ["a-2.jpg", "a-3.jpg", "a.jpg"]),
        (["/a.jpg", "/sub/a.jpg", "/a"], ["a-2.jpg", "a-3.jpg", "a.jpg"]),
        (["/a.png", "/a.jpg", "/a-png.jpg"], ["a-png-2.jpg", "a-png.jpg", "a.jpg"]),
        (["/a.jpg", "/sub/a.jpg", "/a-2.png"], ["a-2-png.jpg", "a-2.jpg", "a.jpg"]),
    ])
    func `a URL without the suffix of its format takes no name of another`(
        paths: [String],
        expected: [String]
    ) async throws {
        let photo = try TestPictures.jpeg()
        let server = try LoopbackServer { _, _ in .init(body: photo) }
        defer { server.stop() }
        let outcome = try await KFProgram.run(
            ["get", "--no-cache"] + paths.map(server.url) + ["-o", "out/"],
            in: folder
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names() == expected)
    }

    @Test func `a failure stops no other load, and is listed at the end`() async throws {
        let outcome = try await get(
            server.url("/missing.png"),
            server.url("/a.jpg"),
            "-o",
            "out/",
            "--json"
        )
        #expect(outcome.status == 1)
        #expect(try names() == ["a.jpg"])
        #expect(outcome.errors.contains("missing.png"))
        #expect(outcome.text.split(separator: "\n").count == 3)
        #expect(outcome.text.contains(#""output":"out/a.jpg""#), "\(outcome.text)")
        #expect(outcome.text.contains(#""error":"#), "\(outcome.text)")
    }

    @Test func `one image goes into a folder that exists`() async throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("out"),
            withIntermediateDirectories: true
        )
        let outcome = try await get(server.url("/a.jpg"), "-o", "out")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names() == ["a.jpg"])
    }

    @Test func `a name cannot leave the folder or hide`() async throws {
        let outcome = try await get(
            server.url("/x/..%2F..%2Fescaped.jpg"),
            server.url("/.hidden.jpg"),
            "-o",
            "out/"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try names() == ["escaped.jpg", "hidden.jpg"])
        #expect(try names("") == ["cache", "out"])
    }

    @Test func `a source is not replaced by its own result`() async throws {
        let photo = try TestPictures.jpeg()
        try photo.write(to: folder.url.appending(path: "a.jpg"))
        let outcome = try await get("a.jpg", "-p", "resize:50x", "-o", "./")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("a.jpg is also a source; choose another folder"))
        #expect(try folder.data("a.jpg") == photo)
    }

    @Test func `several images and one file are wrong usage`() async throws {
        let outcome = try await get("a.jpg", "b.jpg", "-o", "out.jpg")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("several images need a folder"), "\(outcome.errors)")
        #expect(try await get("-", "-", "-o", "out/").status == 64)
        #expect(try await get("a.jpg", "b.jpg", "-o", "-").status == 64)
    }
}

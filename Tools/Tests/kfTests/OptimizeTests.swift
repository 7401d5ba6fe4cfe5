import Foundation
import Kingfisher
import Testing

/// `kf optimize`.
@Suite(.timeLimit(.minutes(1)))
struct OptimizeTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.jpeg().write(to: folder.url.appending(path: "a.jpg"))
        try TestPictures.png().write(to: folder.url.appending(path: "b.png"))
    }

    private func kf(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(arguments, in: folder)
    }

    private func pixels(_ data: Data) throws -> Data {
        try #require(KFCrossPlatformImage(data: data)?.pngData())
    }

    @Test func `a file becomes smaller, with the same pixels`() async throws {
        for name in ["a.jpg", "b.png"] {
            let outcome = try await kf("optimize", name, "-o", "out-\(name)")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let (before, after) = (try folder.data(name), try folder.data("out-\(name)"))
            #expect(after.count <= before.count)
            #expect(try pixels(after) == pixels(before))
        }
    }

    @Test func `an output that names another format is refused`() async throws {
        let outcome = try await kf("optimize", "a.jpg", "-o", "c.png")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("it is JPEG, and the output is named as PNG"))
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "c.png").path))
        #expect(try await kf("optimize", "a.jpg", "-o", "c").status == 0)
    }

    @Test func `files are replaced, and failures do not stop the others`() async throws {
        let before = try folder.data("a.jpg")
        try Data("no image".utf8).write(to: folder.url.appending(path: "c.jpg"))
        let outcome = try await kf("optimize", "c.jpg", "a.jpg", "b.png", "--in-place")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("c.jpg"))
        #expect(try folder.data("a.jpg").count < before.count)
        #expect(try pixels(folder.data("a.jpg")) == pixels(before))
        let missing = try await kf("optimize", "a.jpg")
        #expect(missing.status == 64)
    }

    @Test func `workers make the same files, and report failures alike`() async throws {
        try Data("no image".utf8).write(to: folder.url.appending(path: "c.jpg"))
        try TestPictures.jpeg().prefix(3000).write(to: folder.url.appending(path: "d.jpg"))
        // Sorted, because a line comes when its file fails.
        var errors: [[Substring]] = []
        for (output, options) in [("here/", []), ("apart/", ["--isolate"])] {
            let arguments = ["optimize", "a.jpg", "b.png", "c.jpg", "d.jpg", "-o", output]
            let outcome = try await KFProgram.run(arguments + options, in: folder)
            #expect(outcome.status == 1)
            errors.append(outcome.errors.split(separator: "\n").sorted())
        }
        #expect(errors[0] == errors[1])
        for name in ["a.jpg", "b.png"] {
            #expect(try folder.data("here/\(name)") == folder.data("apart/\(name)"))
        }
    }

    @Test func `a file that takes too long fails alone, and stays as it is`() async throws {
        let noise = try TestPictures.noise(width: 3000, height: 3000)
        try noise.write(to: folder.url.appending(path: "noise.png"))
        let outcome = try await kf("optimize", "noise.png", "--in-place", "--timeout", "0.5")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("timed out after 0.5 s; increase --timeout"))
        #expect(try folder.data("noise.png") == noise)
    }

    @Test(arguments: [
        ("text.jpg", "it is no image: its 6 bytes are of no known format; check the source"),
        ("empty.jpg", "it is empty; check the source"),
        ("two.pdf", "it is a document or a video; kf convert makes images of it"),
        ("film.mp4", "it is a document or a video; kf convert makes images of it"),
        ("a.webp", "it is WEBP, and only JPEG, PNG and GIF are optimised; kf convert writes"),
    ])
    func `the error says what a file is, and what to do`(
        name: String,
        message: String
    )
        async throws
    {
        try Data("hello\n".utf8).write(to: folder.url.appending(path: "text.jpg"))
        try Data().write(to: folder.url.appending(path: "empty.jpg"))
        for name in ["two.pdf", "film.mp4"] {
            try TestPictures.document(name).write(to: folder.url.appending(path: name))
        }
        #expect(try await kf("convert", "a.jpg", "-o", ".", "--format", "webp").status == 0)
        let outcome = try await kf("optimize", name, "-o", "out/")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("\(name): \(message)"), "\(outcome.errors)")
    }

    @Test func `other inputs than files of the three formats are refused with what to do`()
        async throws
    {
        #expect(try await kf("convert", "a.jpg", "-o", "webp", "--format", "webp").status == 0)
        for (words, reason) in [
            (["webp", "-o", "out/"], "webp: there are no PNG, JPEG or GIF files in this folder"),
            (["https://example.com/a.png", "-o", "out/"], "kf get URL -o FILE saves it as one"),
            (["-", "--in-place"], "name an output with -o instead"),
        ] {
            let outcome = try await KFProgram.run(["optimize"] + words, in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        }
    }

    @Test func `folders and patterns are searched for files of the three formats`() async throws {
        let files = FileManager.default
        for name in ["in/sub", "out"] {
            let path = folder.path(name)
            try files.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
        for (name, source) in [
            ("in/c.jpg", "a.jpg"), ("in/sub/d.png", "b.png"), ("in/e.txt", "a.jpg"),
        ] {
            try files.copyItem(atPath: folder.path(source), toPath: folder.path(name))
        }
        let outcome = try await kf("optimize", "in", "*.{jpg,png,gif}", "-o", "out/")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let written = try files.contentsOfDirectory(atPath: folder.path("out")).sorted()
        #expect(written == ["a.jpg", "b.png", "c.jpg", "sub"])
        let none = try await kf("optimize", "*.gif", "gone", "a.jpg", "-o", "out/")
        #expect(none.status == 1)
        #expect(none.errors.contains("nothing matches '*.gif'"), "\(none.errors)")
        #expect(none.errors.contains("cannot read gone"), "\(none.errors)")
    }
}

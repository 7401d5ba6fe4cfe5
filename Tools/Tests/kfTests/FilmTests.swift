import Foundation
import Kingfisher
import KingfisherTesting
import Testing

private let hasFFmpeg = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")

/// Frames of videos in `kf`.
@Suite(.enabled(if: hasFFmpeg), .timeLimit(.minutes(1)))
struct FilmTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["film.mp4", "film.webm", "two.pdf"] {
            try TestPictures.document(name).write(to: folder.url.appending(path: name))
        }
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
    }

    private func run(_ line: String) async throws -> KFProgram.Outcome {
        try await KFProgram.run(line.split(separator: " ").map(String.init), in: folder)
    }

    private func image(_ name: String) throws -> KFCrossPlatformImage {
        try #require(KFCrossPlatformImage(data: try folder.data(name)))
    }

    @Test func `a frame becomes an image`() async throws {
        for (options, name) in [
            ("--at 1.2s -o at.png", "at.png"), ("--at 0:01.2 -o clock.png", "clock.png"),
            ("-p resize:32x -o small.jpg", "small.jpg"), ("--at 0 -o first.png", "first.png"),
        ] {
            let outcome = try await run("get film.mp4 \(options)")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let width = name == "small.jpg" ? 32 : 64
            #expect(try image(name).pixelWidth == width)
        }
        #expect(try folder.data("at.png") == folder.data("clock.png"))
        #expect(try folder.data("at.png") != folder.data("first.png"))
    }

    @Test func `a frame that is not written has no format and no size of a file`() async throws {
        let fields = try GetTests.fields(try await run("get film.mp4 --json"))
        #expect(fields["format"] is NSNull && fields["bytes"] is NSNull, "\(fields)")
        let text = try await run("get film.mp4").text
        #expect(text.contains(/pixels\n/), "\(text)")
        let written = try GetTests.fields(try await run("get film.mp4 -o out.png --json"))
        #expect(written["format"] as? String == "png" && written["bytes"] is Int, "\(written)")
    }

    @Test func `a video's properties are printed`() async throws {
        let outcome = try await run("info film.mp4")
        #expect(
            outcome.text.contains("64 × 48 pixels, 2 s, 5 frames a second, h264 and aac, "),
            "\(outcome.text)\(outcome.errors)"
        )
    }

    @Test func `a folder with videos is converted, to JPEG unless another format is named`()
        async throws
    {
        let both = try await run("convert film.mp4 in.jpg --at 1s -o out")
        #expect(both.status == 0, "\(both.errors)")
        #expect(try folder.data("out/film.jpg").kf.imageFormat == .JPEG)
    }

    @Test func `a converted frame has the size of the steps, shrunk ahead or not`() async throws {
        for (steps, width, height) in [
            ("-p resize:16x", 16, 12), ("-p resize:x6", 8, 6), ("-p resize:100x", 100, 75),
            ("-p resize:16x -p round:2", 16, 12), ("-p resize:50%", 32, 24),
            ("-p crop:20x20 -p resize:5x", 5, 5),
        ] {
            let outcome = try await run("convert film.mp4 --at 1s \(steps) --format png -o out")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let image = try image("out/film.png")
            #expect(image.pixelWidth == width && image.pixelHeight == height, "\(steps)")
        }
    }

    @Test func `a sheet of a video shows frames with times`() async throws {
        let outcome = try await run(
            "sheet film.mp4 -o sheet.png --frames 6 --columns 3 --cell 64x48"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.text.hasPrefix("6 images → sheet.png  240 × 160"), "\(outcome.text)")
        let wrong = try await run("sheet film.mp4 -o sheet.png --frames 0")
        #expect(wrong.status == 64)
    }

    @Test(arguments: ["get in.jpg --at 2s -o a.png", "get two.pdf --cover -o a.png"])
    func `only videos have frames`(line: String) async throws {
        let outcome = try await run(line)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("is for videos"), "\(outcome.errors)")
        let page = try await run("get film.mp4 --page 2 -o a.png")
        #expect(page.errors.contains("is for PDF documents"), "\(page.errors)")
    }

    @Test(arguments: ["--at x", "--at -1s", "--at 1:2:3:4", "--at 1e99"])
    func `wrong usage exits with 64`(option: String) async throws {
        #expect(try await run("get film.mp4 \(option) -o a.png").status == 64)
    }

    @Test(arguments: [
        ("get film.mp4 --from 0.5 --to 1.5 --fps 5 -o clip.webp", "clip.webp", 64),
        ("get film.mp4 --from 0 --to 1 --fps 5 -p resize:16x -o clip.gif", "clip.gif", 16),
        ("get film.mp4 --from 0.5 --to 1.5 --fps 5 -o clip.avif", "clip.avif", 64),
        ("get film.mp4 --from 0 --to 1 --fps 5 -p resize:16x -o small.avif", "small.avif", 16),
        ("convert film.mp4 --from 0 --to 1 --fps 5 --format avif -o out", "out/film.avif", 64),
        ("convert film.mp4 --from 0 --to 1 --fps 5 -p resize:16x -o out", "out/film.webp", 16),
    ])
    func `a part of a video becomes an animation`(
        line: String,
        name: String,
        width: Int
    )
        async throws
    {
        let outcome = try await run(line)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try image(name).pixelWidth == width)
        #expect(try ImageFileInfo(data: folder.data(name)).frameCount == 5)
    }

    @Test func `a part outside of a video is an error`() async throws {
        let outcome = try await run("get film.mp4 --from 1 --to 9 -o clip.webp")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("The clip ends after the video, which has"))
    }

    @Test(arguments: [
        "get film.mp4 --at 9 -o a.png", "convert film.mp4 --at 0:09 -o out",
        "show film.mp4 --at 9 --json", "sheet film.mp4 --at 9 -o a.png",
    ])
    func `a frame after the end of a video is an error that names the end`(
        line: String
    )
        async throws
    {
        let outcome = try await run(line)
        #expect(outcome.status == 1)
        let message = "--at is after the end of the video, which has 2 seconds"
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try await run(line.replacing(/--at [0-9:]+/, with: "--at 2")).status == 0)
    }

    @Test(arguments: [
        ("convert in.jpg --at 1 -o out", "kf: --at is for videos, and no input is one\n"),
        ("convert in.jpg film.mp4 --page 2 -o out", "kf: --page is for PDF documents, and no "),
        ("info in.jpg --password x", "kf: --password is for PDF documents, and no input is one\n"),
        ("convert in.jpg --quality 50 --format png -o out", "kf: --quality is for lossy formats"),
        ("get in.jpg --quality 50 -o a.gif", "formats, and no output has one\n"),
        ("get in.jpg --baseline -o a.png", "kf: --baseline is for jpeg, and no output is one\n"),
        ("convert film.mp4 --all-frames -o out", "kf: --all-frames takes one frame of a video"),
        ("sheet in.jpg --frames 3 -o a.png", "kf: --frames is for a video that is named alone"),
        ("sheet in.jpg film.mp4 --frames 3 -o a.png", "kf: --frames is for a video that is named"),
    ])
    func `an option that no input has a use for is named`(
        line: String,
        note: String
    )
        async throws
    {
        let outcome = try await run(line)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains(note), "\(outcome.errors)")
        let used = try await run("convert in.jpg film.mp4 --at 1 -o used")
        #expect(used.errors.isEmpty, "\(used.errors)")
    }

    @Test func `each frame of a part is written, though neighbours are equal`() async throws {
        // Of five frames a second.
        let line = "convert film.mp4 --from 0 --to 1 --fps 12 --all-frames --format png -o all"
        let outcome = try await run(line)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("all")).sorted()
        #expect(names == (1...12).map { "film-\($0 < 10 ? "0" : "")\($0).png" })
    }

    @Test(arguments: [
        "--from 1", "--to 1", "--fps 5", "--from 2 --to 1", "--from 0 --to 1 --at 1",
        "--from 0 --to 1 --fps 0",
    ])
    func `wrong parts exit with 64`(options: String) async throws {
        #expect(try await run("get film.mp4 \(options) -o clip.webp").status == 64)
    }

    @Test func `a frame of a video on a server is downloaded in parts`() async throws {
        let film = try TestPictures.document("film.mp4")
        let server = try LoopbackServer { _, headers in
            let fields = Dictionary(uniqueKeysWithValues: headers.map { ($0.lowercased(), $1) })
            let ends = fields["range"]?.dropFirst("bytes=".count).split(separator: "-")
                .compactMap { Int($0) }
            guard let ends, ends.count == 2, fields["x-key"] == "secret" else { return nil }
            let last = min(ends[1], film.count - 1)
            var answer = LoopbackServer.Answer(
                status: 206,
                contentType: "video/mp4",
                body: film[ends[0]...last]
            )
            answer.headers = ["Content-Range": "bytes \(ends[0])-\(last)/\(film.count)"]
            return answer
        }
        defer { server.stop() }
        let options = "--header X-Key:secret --cache cache"
        let remote = try await run("get \(server.url("/a.mp4")) --at 1.2s -o remote.png \(options)")
        #expect(remote.status == 0, "\(remote.errors)")
        let local = try await run("get film.mp4 --at 1.2s -o local.png")
        #expect(local.status == 0, "\(local.errors)")
        #expect(try folder.data("remote.png") == folder.data("local.png"))
        let after = try await run("get \(server.url("/a.mp4")) --at 9s -o after.png \(options)")
        #expect(after.status == 1)
        #expect(after.errors.contains("which has 2 seconds"), "\(after.errors)")
    }

    @Test func `a damaged video is an error`() async throws {
        let film = try TestPictures.document("film.mp4").prefix(2000)
        try Data(film).write(to: folder.url.appending(path: "bad.mp4"))
        let outcome = try await run("get bad.mp4 --at 1s -o a.png")
        #expect(outcome.status == 1)
        #expect(!outcome.errors.isEmpty)
    }
}

import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// `kf get` in everyday use: sizes, formats, caches, streams.
@Suite(.timeLimit(.minutes(1)))
struct GetOptionsTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
    }

    private func run(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(arguments, in: folder)
    }

    private func usersCacheFiles() -> [String] {
        FileManager.default.enumerator(atPath: folder.usersCache.path)?
            .compactMap { $0 as? String }
            .filter { $0.contains("ImageCache") } ?? []
    }

    @Test(arguments: [
        ("resize:320x", 320, 240), ("resize:x120", 160, 120), ("resize:50%", 320, 240),
        ("resize:200%", 1280, 960), ("downsample:320x", 320, 240), ("downsample:x960", 640, 480),
        ("downsample:25%", 160, 120), ("crop:100x", 100, 480), ("crop:x100", 640, 100),
    ])
    func `a size may be one side or a share`(spec: String, width: Int, height: Int) async throws {
        let outcome = try await run("get", "in.jpg", "-p", spec, "--json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let fields = try GetTests.fields(outcome)
        #expect(fields["width"] as? Int == width)
        #expect(fields["height"] as? Int == height)
    }

    @Test func `the report names a format that is not written`() async throws {
        // A pixel of 24 bits.
        let bmp =
            Array("BM".utf8) + [58, 0, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0]
            + [40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 24, 0]
            + [UInt8](repeating: 0, count: 24) + [1, 2, 3, 0]
        try Data(bmp).write(to: folder.url.appending(path: "in.bmp"))
        #expect(try await run("get", "in.bmp").text.contains(", BMP, 58 bytes"))
        let fields = try GetTests.fields(try await run("get", "in.bmp", "--json"))
        #expect(fields["format"] as? String == "bmp")
    }

    @Test(arguments: ["resize:x", "resize:0%", "resize:1001%", "resize:-3x", "crop:50%"])
    func `text that is not a size is refused with an example`(spec: String) async throws {
        let outcome = try await run("get", "in.jpg", "-p", spec)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("'\(spec)'"), "\(outcome.errors)")
    }

    @Test func `an image of this machine fills no cache unless one is named`() async throws {
        for arguments in [
            ["get", "in.jpg"], ["get", "in.jpg", "-p", "bw"], ["placeholder", "in.jpg"],
        ] {
            let outcome = try await KFProgram.run(arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        #expect(usersCacheFiles() == [])
        _ = try await run("get", "in.jpg", "--cache", "cache")
        #expect(folder.cacheEntries().count == 1)
    }

    @Test func `an image of the network goes to the user's cache, and with no-cache to none`()
        async throws
    {
        let photo = try TestPictures.jpeg()
        let server = try LoopbackServer { _, _ in .init(body: photo) }
        defer { server.stop() }
        let url = server.url("/photo.jpg")
        for _ in 0..<2 { _ = try await run("get", url, "--no-cache") }
        #expect(usersCacheFiles() == [])
        #expect(server.requests.count == 2)
        for _ in 0..<2 { _ = try await run("get", url) }
        #expect(server.requests.count == 3)
        #expect(!usersCacheFiles().isEmpty)
    }

    @Test func `standard output gets the format of the source, from the cache as well`()
        async throws
    {
        let photo = try TestPictures.jpeg()
        let server = try LoopbackServer { _, _ in .init(body: photo) }
        let url = server.url("/photo")
        for _ in 0..<2 {
            let outcome = try await run("get", url, "-p", "resize:100x", "-o", "-")
            #expect(outcome.output.kf.imageFormat == .JPEG)
            server.stop()
        }
        let local = try await run("get", "in.jpg", "-p", "resize:100x", "-o", "-")
        #expect(local.output.kf.imageFormat == .JPEG)
        let named = try await run("get", "in.jpg", "-o", "-", "--format", "webp")
        #expect(named.output.kf.imageFormat == .WebP)
    }

    @Test func `colors makes a PNG of few colours, and fails for other formats`() async throws {
        try TestPictures.photo().write(to: folder.url.appending(path: "photo.jpg"))
        var sizes: [Int] = []
        for colors in [["--colors", "16"], ["--colors", "256"], []] {
            let arguments = ["get", "photo.jpg", "--format", "png", "-o", "out.png"] + colors
            let outcome = try await KFProgram.run(arguments, in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            sizes.append(try folder.data("out.png").count)
        }
        #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2])
        let outcome = try await run("get", "in.jpg", "-o", "out.jpg", "--colors", "16")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("--colors is for png"))
    }

    @Test func `progress is not drawn into a file`() async throws {
        let photo = try TestPictures.photo()
        let server = try LoopbackServer { _, _ in .init(body: photo) }
        defer { server.stop() }
        let outcome = try await run("get", server.url("/photo"), "--progress")
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    }

    @Test func `a data URL is shown shortened`() async throws {
        let url = "data:image/jpeg;base64," + (try TestPictures.jpeg()).base64EncodedString()
        let outcome = try await run("get", url)
        #expect(outcome.status == 0)
        #expect(outcome.text.hasPrefix("data:image/jpeg;base64,"))
        #expect(outcome.text.count < 400)
        let json = try await run("get", url, "--json")
        #expect(json.text.count < 600, "\(json.text)")
        let broken = try await run("get", "data:image/png;base64,AAAA" + url)
        #expect(broken.errors.count < 400)
    }

    @Test func `quiet prints nothing, and json all the same`() async throws {
        let quiet = try await run("get", "in.jpg", "-o", "out.png", "--quiet")
        #expect(quiet.status == 0)
        #expect(quiet.output.isEmpty && quiet.errors.isEmpty)
        #expect(try await run("get", "in.jpg", "-q", "--json").text.hasPrefix("{"))
        let verbose = try await run("get", "in.jpg", "-p", "bw", "-v")
        #expect(verbose.errors.contains("BlackWhite"))
        #expect(try await run("get", "in.jpg", "-q", "-v").status == 64)
    }

    @Test func `the version is printed`() async throws {
        let outcome = try await run("--version")
        #expect(outcome.status == 0)
        #expect(outcome.text.hasPrefix("kf 0."))
    }

    @Test func `errors name command line options, not the library's`() async throws {
        let server = try LoopbackServer { path, _ in
            path == "/page" ? .init(body: Data("<html>".utf8)) : nil
        }
        defer { server.stop() }
        let runs = [
            ["get", server.url("/gone")], ["get", server.url("/page"), "-p", "resize:10x10"],
            ["get", server.url("/gone"), "--only-from-cache"], ["get", "gone.jpg"],
            ["get", "in.jpg", "--cache", "in.jpg/x"],
        ]
        let swift = [
            "isValidStatusCode", ".onlyFromCache", "delegate", "com.onevcat.Kingfisher.R",
            "NSCocoa", "Domain=",
            "Optional(", "Processor", "ImageDataProvider",
        ]
        for arguments in runs {
            let outcome = try await KFProgram.run(arguments, in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("kf: error"))
            for word in swift { #expect(!outcome.errors.contains(word), "\(outcome.errors)") }
        }
    }

    @Test func `cache path finds an image by its path, with and without steps`() async throws {
        for steps in [[], ["-p", "resize:10x10"]] {
            _ = try await KFProgram.run(["get", "in.jpg", "--cache", "c"] + steps, in: folder)
        }
        let plain = try await run("cache", "path", "in.jpg", "--cache", "c")
        #expect(plain.status == 0, "\(plain.errors)")
        let file = plain.text.trimmingCharacters(in: .newlines)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == folder.data("in.jpg"))
        let sized = try await run("cache", "path", "in.jpg", "-p", "resize:10x10", "--cache", "c")
        #expect(sized.status == 0 && sized.text != plain.text, "\(sized.errors)")
        let all = try await run("cache", "path", "in.jpg", "--all", "--cache", "c")
        #expect(all.text.split(separator: "\n").count == 2)
        #expect(try await run("cache", "path", "in.jpg", "-p", "bw", "--cache", "c").status == 1)
    }
}

import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// `kf get` without errors.
@Suite(.timeLimit(.minutes(1)))
struct GetTests {
    let folder: TemporaryFolder
    let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        let photo = try TestPictures.jpeg()
        server = try LoopbackServer { path, headers in
            switch path {
            case "/photo.jpg": .init(body: photo)
            case "/secret.jpg": headers["x-key"] == "open" ? .init(body: photo) : nil
            default: nil
            }
        }
    }

    private func get(_ arguments: String..., input: Data = Data()) async throws -> KFProgram.Outcome
    {
        try await KFProgram.run(["get"] + arguments, in: folder, input: input)
    }

    @Test func `the second run takes the image from the disk, its server stopped`() async throws {
        let arguments = [
            "get", server.url("/photo.jpg"), "--processor", "downsample:300x300", "-o", "out.png",
            "--cache", "cache", "--json",
        ]
        let first = try await KFProgram.run(arguments, in: folder)
        #expect(first.status == 0, "\(first.errors)")
        let written = try folder.data("out.png")
        server.stop()
        let second = try await KFProgram.run(arguments, in: folder)
        #expect(second.status == 0, "\(second.errors)")

        #expect(try Self.fields(first)["cacheType"] as? String == "none")
        #expect(try Self.fields(second)["cacheType"] as? String == "disk")
        #expect(try folder.data("out.png") == written)
        let image = try #require(KFCrossPlatformImage(data: written))
        #expect(image.pixelWidth == 300)
        #expect(image.pixelHeight == 225)
        #expect(try Self.isRed(TestPictures.pixel(written, x: 40, y: 100)))
        #expect(try Self.isBlue(TestPictures.pixel(written, x: 260, y: 100)))
        #expect(server.requests == ["/photo.jpg"])
    }

    @Test func `json is one line with all fields`() async throws {
        let outcome = try await get(server.url("/photo.jpg"), "--cache", "cache", "--json")
        #expect(outcome.text.split(separator: "\n", omittingEmptySubsequences: false).count == 2)
        let fields = try Self.fields(outcome)
        #expect(
            Set(fields.keys) == [
                "source", "key", "cacheType", "format", "width", "height", "frames", "bytes",
                "output", "truncated", "timings", "status",
            ]
        )
        #expect(fields["key"] as? String == server.url("/photo.jpg"))
        #expect(fields["format"] as? String == "jpeg")
        #expect(fields["width"] as? Int == 640)
        #expect(fields["height"] as? Int == 480)
        #expect(fields["frames"] as? Int == 1)
        #expect(fields["output"] is NSNull)
        let timings = try #require(fields["timings"] as? [String: Any])
        #expect(Set(timings.keys) == ["lookup", "fetch", "process", "store", "encode", "total"])
        #expect(timings["encode"] is NSNull && timings["total"] is Double)
        let written = try await get(server.url("/photo.jpg"), "-o", "out.png", "--json")
        let times = try #require(try Self.fields(written)["timings"] as? [String: Any])
        let (encode, total) = (times["encode"] as? Double, times["total"] as? Double)
        #expect(try #require(total) > #require(encode))
    }

    @Test func `without an output a summary is printed and nothing written`() async throws {
        let outcome = try await get(server.url("/photo.jpg"), "--cache", "cache")
        #expect(outcome.status == 0)
        #expect(outcome.text.contains("640 × 480 pixels, JPEG"))
        #expect(try folder.files() == ["cache"])
    }

    @Test func `an unchanged file is written as it came, from the cache too`() async throws {
        for name in ["first.jpg", "second.jpg"] {
            let outcome = try await get(server.url("/photo.jpg"), "--cache", "cache", "-o", name)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try folder.data(name) == TestPictures.jpeg())
        }
        #expect(server.requests.count == 1)
    }

    @Test func `a forced refresh asks the server again`() async throws {
        for _ in 0..<2 {
            let outcome = try await get(
                server.url("/photo.jpg"),
                "--cache",
                "cache",
                "--force-refresh"
            )
            #expect(outcome.status == 0)
        }
        #expect(server.requests.count == 2)
    }

    @Test func `headers are sent`() async throws {
        let url = server.url("/secret.jpg")
        let outcome = try await get(url, "--cache", "cache", "--header", "X-Key: open")
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test(arguments: ["path", "file URL", "data URL", "standard input"])
    func `an image may come from another host`(place: String) async throws {
        let png = try TestPictures.png()
        try png.write(to: folder.url.appendingPathComponent("small picture.png"))
        let source =
            switch place {
            case "path": "small picture.png"
            case "file URL": folder.url.appendingPathComponent("small picture.png").absoluteString
            case "data URL": "data:image/png;base64,\(png.base64EncodedString())"
            default: "-"
            }
        let outcome = try await get(source, "--cache", "cache", "-o", "out.jpg", input: png)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let written = try folder.data("out.jpg")
        #expect(written.kf.imageFormat == .JPEG)
        #expect(try Self.isRed(TestPictures.pixel(written, x: 8, y: 24)))
        #expect(try Self.isBlue(TestPictures.pixel(written, x: 56, y: 24)))
    }

    @Test func `a file that has changed is not taken from the cache`() async throws {
        let file = folder.url.appendingPathComponent("in.png")
        try TestPictures.png(width: 40, height: 40).write(to: file)
        _ = try await get("in.png", "--cache", "cache")
        try TestPictures.png(width: 50, height: 50).write(to: file)
        let outcome = try await get("in.png", "--cache", "cache", "--json")
        #expect(try Self.fields(outcome)["width"] as? Int == 50)
    }

    @Test func `a dash as output gives the image alone on standard output`() async throws {
        let outcome = try await get(
            server.url("/photo.jpg"),
            "--cache",
            "cache",
            "-o",
            "-",
            "--format",
            "png"
        )
        #expect(outcome.output.kf.imageFormat == .PNG)
        #expect(KFCrossPlatformImage(data: outcome.output)?.pixelWidth == 640)
        #expect(outcome.errors.contains("640 × 480"))
    }

    @Test(arguments: [
        ("downsample:100x100", 100, 75), ("resize:100x100", 100, 75),
        ("resize:100x100:fill", 133, 100), ("resize:100x50:none", 100, 50),
        ("crop:200x100", 200, 100), ("crop:200x100@0,1", 200, 100), ("smartcrop:90x90", 90, 90),
        ("round:50%", 640, 480), ("rotate:90", 480, 640), ("flip:horizontal", 640, 480),
        ("pad:10:#fff", 660, 500), ("border:4:#ffffff", 640, 480), ("trim:0.02", 320, 480),
        ("blur:4", 640, 480), ("sharpen:1", 640, 480), ("bw", 640, 480),
        ("color:0.1,1.1,0.8,0", 640, 480), ("tint:#00ff0040", 640, 480),
        ("overlay:#ff000080:0.5", 640, 480), ("blend:multiply:0.7:#3366ff", 640, 480),
        ("watermark:mark.png@1,0", 640, 480),
    ])
    func `a processor makes the size it names`(spec: String, width: Int, height: Int) async throws {
        try TestPictures.png().write(to: folder.url.appendingPathComponent("mark.png"))
        let outcome = try await get(
            server.url("/photo.jpg"),
            "--cache",
            "cache",
            "--processor",
            spec,
            "--json"
        )
        let fields = try Self.fields(outcome)
        #expect(fields["width"] as? Int == width)
        #expect(fields["height"] as? Int == height)
    }

    @Test func `steps are applied in their order`() async throws {
        let outcome = try await get(
            server.url("/photo.jpg"),
            "--cache",
            "cache",
            "--processor",
            "flip:horizontal",
            "--processor",
            "crop:100x100@0,0",
            "-o",
            "out.png"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try Self.isBlue(TestPictures.pixel(folder.data("out.png"), x: 50, y: 50)))
    }

    @Test func `round corners stay transparent when they come from the disk`() async throws {
        for _ in 0..<2 {
            let outcome = try await get(
                server.url("/photo.jpg"),
                "--cache",
                "cache",
                "--processor",
                "resize:120x90",
                "--processor",
                "round:30",
                "-o",
                "out.png"
            )
            #expect(outcome.status == 0, "\(outcome.errors)")
            let written = try folder.data("out.png")
            #expect(try TestPictures.pixel(written, x: 0, y: 0) == [0, 0, 0, 0])
            #expect(try TestPictures.pixel(written, x: 60, y: 45)[3] == 255)
        }
        #expect(server.requests.count == 1)
    }

    // MARK: - Helpers

    static func fields(_ outcome: KFProgram.Outcome) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any],
            "\(outcome.text) \(outcome.errors)"
        )
    }

    static func isRed(_ pixel: [UInt8]) -> Bool {
        pixel[0] > 180 && pixel[1] < 60 && pixel[2] < 60 && pixel[3] == 255
    }

    static func isBlue(_ pixel: [UInt8]) -> Bool {
        pixel[0] < 60 && pixel[1] < 90 && pixel[2] > 200 && pixel[3] == 255
    }

    @Test(arguments: ["x", "日", "./x", "1.jpg"])
    func `short names can be written`(name: String) async throws {
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
        let outcome = try await KFProgram.run(["get", "in.jpg", "-o", name], in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try folder.data(name) == folder.data("in.jpg"))
    }

    @Test func `a file in the place of the output's folder is reported as such`() async throws {
        try TestPictures.jpeg().write(to: folder.url.appending(path: "in.jpg"))
        let outcome = try await KFProgram.run(["get", "in.jpg", "-o", "in.jpg/a.jpg"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("in.jpg/a.jpg: Not a directory"), "\(outcome.errors)")
    }
}

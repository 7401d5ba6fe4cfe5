import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// `kf explain`, `kf trace`, `kf prefetch`.
@Suite(.timeLimit(.minutes(1)))
struct InspectTests {
    let folder: TemporaryFolder
    let server: LoopbackServer

    init() throws {
        folder = try TemporaryFolder()
        let photo = try TestPictures.jpeg()
        server = try LoopbackServer { path, _ in path.hasSuffix(".jpg") ? .init(body: photo) : nil }
    }

    private func run(_ arguments: String...) async throws -> KFProgram.Outcome {
        try await KFProgram.run(arguments + ["--cache", "cache"], in: folder)
    }

    private func outcome(_ arguments: String...) async throws -> String? {
        let all = ["explain"] + arguments + ["--json", "--cache", "cache"]
        return try GetTests.fields(try await KFProgram.run(all, in: folder))["outcome"] as? String
    }

    @Test func `explain distinguishes network, disk, original and failure`() async throws {
        let url = server.url("/a.jpg")
        #expect(try await outcome(url) == "download")
        #expect(try await outcome(url, "--only-from-cache") == "fails")
        _ = try await run("get", url, "-p", "resize:20x")
        #expect(try await outcome(url, "-p", "resize:20x") == "disk")
        #expect(try await outcome(url, "-p", "resize:30x") == "original")
        #expect(try await outcome(url, "--force-refresh") == "download")
        #expect(server.requests.count == 1)
        let text = try await run("explain", url, "-p", "resize:30x").text
        #expect(text.contains("cached with other steps"), "\(text)")
        #expect(text.contains("made from the cached original"), "\(text)")
        #expect(try await run("explain", "-").status == 64)
    }

    @Test(arguments: [
        "-p resize:20x", "-p resize:20x -o a.webp", "-p resize:20x -o a.jpg",
        "-p resize:20x -o out/", "-p resize:20x --format avif -o a", "-o a.png",
        "-p resize:20x --quality 50 -o a.webp", "--frame 1 -o a.png",
        "--ignore-query signature",
    ])
    func `explain knows what get has cached, by the same options`(options: String) async throws {
        let words = options.split(separator: " ").map(String.init)
        let url = server.url("/a.jpg?signature=1.jpg")
        func run(_ command: String) async throws -> [String: Any] {
            let all = [command, url, "--json", "--cache", "cache"] + words
            return try GetTests.fields(try await KFProgram.run(all, in: folder))
        }
        #expect(try await run("explain")["outcome"] as? String == "download")
        let loaded = try await run("get")
        let explained = try await run("explain")
        #expect(explained["outcome"] as? String == "disk")
        #expect(explained["key"] as? String == loaded["key"] as? String)
        #expect(try await run("get")["cacheType"] as? String == "disk")
    }

    @Test func `explain knows a part of a film, and that another one is not cached`() async throws {
        try TestPictures.document("film.mp4").write(to: folder.url.appending(path: "film.mp4"))
        let part = ["film.mp4", "--from", "0", "--to", "1", "-o", "clip.webp", "--cache", "cache"]
        #expect(try await KFProgram.run(["get"] + part, in: folder).status == 0)
        let cached = try await KFProgram.run(["explain", "--json"] + part, in: folder)
        #expect(try GetTests.fields(cached)["outcome"] as? String == "disk")
        let other = try await KFProgram.run(
            ["explain", "--json"] + part + ["--fps", "3"],
            in: folder
        )
        #expect(try GetTests.fields(other)["outcome"] as? String == "file")
    }

    @Test(arguments: ["", "--ignore-query signature"])
    func `an image that is made of a cached source says so, with the source's size`(
        options: String
    ) async throws {
        let words = options.split(separator: " ").map(String.init)
        let url = server.url("/a.jpg?signature=1.jpg")
        let bytes = try TestPictures.jpeg().count
        for (step, origin, type) in [
            ("20x", "the source", "none"), ("20x", "the disk cache", "disk"),
            ("30x", "the cached source", "original"), ("30x", "the disk cache", "disk"),
        ] {
            let arguments = ["get", url, "-p", "resize:\(step)", "--cache", "cache"] + words
            // Another text in each round finds the image of the round before.
            let isText = type != "disk"
            let outcome = try await KFProgram.run(
                arguments + (isText ? [] : ["--json"]),
                in: folder
            )
            if isText {
                #expect(outcome.text.contains("from     \(origin)\n"), "\(outcome.text)")
                let source = "JPEG, \(String(format: "%.1f", Double(bytes) / 1000)) kB"
                #expect(outcome.text.contains(source), "\(outcome.text)")
            } else {
                let fields = try GetTests.fields(outcome)
                #expect(fields["cacheType"] as? String == type)
                #expect(fields["format"] as? String == "jpeg")
                #expect(fields["bytes"] as? Int == bytes)
            }
        }
        let json = ["get", url, "-p", "resize:40x", "--cache", "cache", "--json"] + words
        let fields = try GetTests.fields(try await KFProgram.run(json, in: folder))
        #expect(fields["cacheType"] as? String == "original")
        #expect(server.requests.count == 1)
    }

    @Test func `a source that the cache does not have is not measured`() async throws {
        let url = server.url("/a.jpg")
        _ = try await run("prefetch", url, "-p", "resize:20x")
        let text = try await run("get", url, "-p", "resize:20x").text
        #expect(text.contains("image    20 × 15 pixels\n"), "\(text)")
        let fields = try GetTests.fields(try await run("get", url, "-p", "resize:20x", "--json"))
        #expect(fields["bytes"] is NSNull && fields["format"] is NSNull)
    }

    @Test func `a trace has the stages of each load`() async throws {
        let outcome = try await run("trace", server.url("/a.jpg"), "--repeat", "2", "-o", "t.json")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let trace = try #require(
            try JSONSerialization.jsonObject(with: folder.data("t.json")) as? [String: Any]
        )
        let events = try #require(trace["traceEvents"] as? [[String: Any]])
        let names = Set(events.compactMap { $0["name"] as? String })
        #expect(names.isSuperset(of: ["load", "lookup", "fetch", "process", "store"]), "\(names)")
        #expect(Set(events.compactMap { $0["tid"] as? Int }).count == 2)
    }

    @Test func `the page needs nothing else and says why there was a miss`() async throws {
        try TestPictures.png().write(to: folder.url.appending(path: "in.png"))
        let outcome = try await run(
            "trace",
            server.url("/a.jpg?<script>"),
            server.url("/gone"),
            "missing.jpg",
            "in.png",
            "--html",
            "-o",
            "t.html"
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("404"), "\(outcome.errors)")
        let page = String(decoding: try folder.data("t.html"), as: UTF8.self)
        #expect(page.contains("disk: not cached"))
        #expect(page.contains("class=\"fetch\""))
        #expect(page.contains("failed: the server answered 404"))
        #expect(page.contains("3 loads failed"), "\(page)")
        #expect(page.contains("<p>error: cannot read missing.jpg"))
        #expect(page.contains("/in.png</h2>") && !page.contains("cacheKey"), "\(page)")
        #expect(!page.contains("<script") && !page.contains("src=") && !page.contains("href="))
    }

    @Test func `prefetch fills the cache, once for each URL, and lists failures`() async throws {
        let urls = ["/a.jpg", "/b.jpg", "/a.jpg", "/gone"].map { server.url($0) }
        let list = (["# images", ""] + urls + ["not a URL"]).joined(separator: "\r\n")
        let input = Data(list.utf8)
        let first = try await KFProgram.run(
            ["prefetch", "--from-file", "-", "--cache", "cache"],
            in: folder,
            input: input
        )
        #expect(first.status == 1)
        #expect(first.text == "2 loaded, 0 already cached, 2 failed\n", "\(first.text)")
        #expect(first.errors.split(separator: "\n").count == 2, "\(first.errors)")
        let second = try await run("prefetch", server.url("/a.jpg"), server.url("/b.jpg"), "--json")
        #expect(second.status == 0)
        #expect(second.text.contains("\"cached\":2"), "\(second.text)")
        #expect(server.requests.count { $0.hasSuffix(".jpg") } == 2)
        for wrong in [
            ["prefetch"], ["prefetch", "a.jpg"], ["prefetch", "http://h/", "--no-cache"],
        ] {
            #expect(try await KFProgram.run(wrong, in: folder).status == 64)
        }
    }
}

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

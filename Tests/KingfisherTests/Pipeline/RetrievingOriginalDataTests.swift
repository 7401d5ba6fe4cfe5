import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// The bytes of sources, without decoding.
@Suite(.timeLimit(.minutes(1)))
struct RetrievingOriginalDataTests {
    private let bench: TestBench
    private let url: URL
    private let jpeg = TestImage.jpeg(width: 200, height: 150)

    init() throws {
        bench = try TestBench()
        bench.server.route(
            "/a.jpg",
            .body(jpeg, type: "image/jpeg", fields: [("ETag", "\"one\"")])
        )
        url = bench.server.url("/a.jpg")
    }

    private func original(_ options: KingfisherOptionsInfo = []) async throws -> RetrieveDataResult
    {
        try await bench.manager.retrieveOriginalData(
            with: .network(url),
            options: options + [.waitForCache]
        )
    }

    @Test func `a download comes as it is, and then from the disk`() async throws {
        let fresh = try await original()
        #expect(fresh.data == jpeg)
        #expect(fresh.cacheType == .none)
        #expect(fresh.response?.fields.contains { $0.name == "ETag" } == true)
        let stored = try await original()
        #expect(stored.data == jpeg)
        #expect(stored.cacheType == .disk)
        #expect(stored.response == nil)
        #expect(bench.server.requests.count == 1)
        #expect(bench.cache.memoryStorage.isCached(forKey: url.absoluteString) == false)
    }

    @Test func `other loads make their images of the same original`() async throws {
        _ = try await original()
        let small = DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
        let made = try await bench.manager.retrieveImage(with: url, options: [.processor(small)])
        #expect(made.image.pixelWidth == 100)
        // An image in memory has no bytes.
        _ = try await bench.manager.retrieveImage(with: url)
        #expect(try await original().data == jpeg)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `with HTTP caching the stored response comes with the bytes`() async throws {
        _ = try await original([.httpCaching])
        bench.server.route("/a.jpg", .status(304))
        let checked = try await original([.httpCaching])
        #expect(checked.data == jpeg)
        #expect(checked.cacheType == .disk)
        #expect(checked.response?.fields.contains { $0 == ("etag", "\"one\"") } == true)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `bytes that are no image fail, and are not kept`() async throws {
        bench.server.route("/a.jpg", .body(Data("<html>not an image".utf8), type: "text/html"))
        for _ in 0..<2 {
            await #expect(throws: KingfisherError.self) { try await original() }
        }
        #expect(bench.server.requests.count == 2)
    }
}

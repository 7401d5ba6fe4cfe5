import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Keys of URLs with parts that do not identify the image.
@Suite(.timeLimit(.minutes(1)))
struct CacheKeyRuleTests {
    private let rule = CacheKeyRule(ignoringQueryItems: ["X-Amz-*", "token"])

    @Test(arguments: [
        ("http://h/a", "http://h/a"), ("http://h/a?b=c", "http://h/a?b=c"),
        ("http://h/a?token=1", "http://h/a"), ("http://h/a?token", "http://h/a"),
        ("http://h/a?w=1&TOKEN=2&h=3", "http://h/a?w=1&h=3"),
        ("http://h/a?X-Amz-Date=1&w=1&x-amz-signature=2#f", "http://h/a?w=1#f"),
        ("http://h/a?tokens=1", "http://h/a?tokens=1"), ("http://h/a?%74oken=1", "http://h/a"),
        ("http://h/a?w=token=1&&", "http://h/a?w=token=1&&"), ("http://h/a?", "http://h/a?"),
        ("http://h/a#?token=1", "http://h/a#?token=1"),
    ])
    func `ignored items are left out`(text: String, key: String) throws {
        #expect(rule.key(for: try #require(URL(string: text))) == key)
    }

    @Test(arguments: [
        ("http://h/a?sv=2024&se=1&sr=b&sp=r&sig=x&w=1", "http://h/a?w=1"),
        ("http://h/a?sr=b&sp=r&w=1", "http://h/a?sr=b&sp=r&w=1"),
        ("http://h/a?w=1&s=0123456789abcdef0123456789abcdef", "http://h/a?w=1"),
        ("http://h/a?s=100", "http://h/a?s=100"),
        (
            "http://h/a?OSSAccessKeyId=1&Expires=2&Signature=3&x-oss-process=b",
            "http://h/a?x-oss-process=b"
        ),
        ("http://h/a?auth_key=1-0-0-x", "http://h/a"),
        (
            "http://h/a?q-sign-algorithm=sha1&q-ak=1&q-signature=2&imageMogr2/b",
            "http://h/a?imageMogr2/b"
        ),
    ])
    func `signatures of the known services are left out`(text: String, key: String) throws {
        #expect(CacheKeyRule.signedURLs.key(for: try #require(URL(string: text))) == key)
    }

    private func signed(_ url: URL, _ token: Int) throws -> URL {
        try #require(URL(string: "\(url.absoluteString)?token=\(token)"))
    }

    @Test func `loads with several signatures at once make one request`() async throws {
        let bench = try TestBench()
        let gate = ServerGate()
        let image = TestImage.jpeg(width: 8, height: 8)
        bench.server.route("/a.jpg", .held(gate, then: .body(image, type: "image/jpeg")))
        let loads = try (1...6).map { token in
            let url = try signed(bench.server.url("/a.jpg"), token)
            return bench.manager.retrieveImageTask(url, [.cacheKeyRule(rule)])
        }
        await gate.reached()
        gate.open()
        for load in loads { _ = try await load.value }
        #expect(bench.server.requests.count == 1)
    }

    @Test func `an expired signature fails no other one`() async throws {
        let bench = try TestBench()
        let gate = ServerGate()
        let image = ServerReply.body(TestImage.jpeg(width: 8, height: 8), type: "image/jpeg")
        bench.server.route("/a.jpg") {
            $0.target.hasSuffix("=1") ? .held(gate, then: .status(403)) : image
        }
        let url = bench.server.url("/a.jpg")
        let (expired, valid) = try (signed(url, 1), signed(url, 2))
        let manager = bench.manager
        let options: KingfisherOptionsInfo = [.cacheKeyRule(rule)]
        let first = Task { try await manager.retrieveImage(with: expired, options: options) }
        await gate.reached()
        let second = manager.retrieveImageTask(valid, options)
        gate.open()
        await #expect(throws: KingfisherError.self) { try await first.value }
        #expect(try await second.value.cacheType == .none)
    }

    @Test func `a stale image is revalidated under a new signature`() async throws {
        let bench = try TestBench()
        let fields = [("Cache-Control", "max-age=60"), ("Age", "70"), ("ETag", "\"1\"")]
        let image = TestImage.jpeg(width: 8, height: 8)
        let whole = ServerReply.body(image, type: "image/jpeg", fields: fields)
        bench.server.route("/a.jpg") {
            $0.value(for: "If-None-Match") == nil ? whole : .status(304, fields: fields)
        }
        for token in 1...3 {
            let result = try await bench.manager.retrieveImage(
                with: try signed(bench.server.url("/a.jpg"), token),
                options: [.httpCaching, .cacheKeyRule(rule), .waitForCache]
            )
            #expect(result.freshness == (token == 1 ? .fresh : .revalidated))
        }
        let conditions = bench.server.requests.map { $0.value(for: "If-None-Match") }
        #expect(conditions == [nil, "\"1\"", "\"1\""])
    }

    @Test func `only the key of a URL itself is changed`() throws {
        let url = try #require(URL(string: "http://h/a?token=1"))
        #expect(Source.network(url).keyed(by: rule).cacheKey == "http://h/a")
        #expect(Source.network(url).keyed(by: rule).url == url)
        #expect(Source.network(url).keyed(by: nil).cacheKey == url.absoluteString)
        let named = Source.network(KF.ImageResource(downloadURL: url, cacheKey: "mine?token=1"))
        #expect(named.keyed(by: rule).cacheKey == "mine?token=1")
        let file = try #require(URL(string: "file:///a?token=1"))
        #expect(rule.key(for: file) == file.cacheKey)
    }

    @Test func `images under presigned URLs are loaded once`() async throws {
        let bench = try TestBench()
        let url = bench.serveJPEG("/a.jpg")
        bench.manager.defaultOptions = [.cacheKeyRule(rule)]
        let processors: [KingfisherOptionsInfo] = [
            [], [.processor(ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 8)))],
        ]
        for options in processors {
            for token in 1...3 {
                let signed = try #require(URL(string: "\(url.absoluteString)?token=\(token)"))
                let result = try await bench.manager.retrieveImage(
                    with: signed,
                    options: options + [.cacheOriginalImage]
                )
                #expect(result.originalSource.cacheKey == url.absoluteString)
                #expect(result.source.url == signed || result.cacheType != .none)
            }
        }
        #expect(bench.server.requests.count == 1)
        #expect(bench.server.requests.first?.target.hasSuffix("?token=1") == true)
        // Another source after a failure follows the rule too.
        let missing = bench.server.url("/missing")
        let signed = try #require(URL(string: "\(url.absoluteString)?token=4"))
        let result = try await bench.manager.retrieveImage(
            with: missing,
            options: [.alternativeSources([.network(signed)])]
        )
        #expect(result.cacheType != .none)
    }
}

extension KingfisherManager {
    /// Starts a load before this returns.
    fileprivate func retrieveImageTask(
        _ url: URL,
        _ options: KingfisherOptionsInfo
    ) -> Task<RetrieveImageResult, any Error> {
        let (results, continuation) = AsyncThrowingStream<RetrieveImageResult, any Error>
            .makeStream()
        _ = retrieveImage(with: url, options: options + [.callbackQueue(.untouch)]) { result in
            continuation.yield(with: result.mapError { $0 as any Error })
            continuation.finish()
        }
        return Task {
            for try await result in results { return result }
            throw CancellationError()
        }
    }
}

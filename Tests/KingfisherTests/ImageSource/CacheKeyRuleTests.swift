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

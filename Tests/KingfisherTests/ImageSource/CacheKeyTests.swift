import Foundation
import Testing

@testable import Kingfisher

struct CacheKeyTests {
    @Test func `KEY-1: the identifier stands behind the key`() {
        #expect(CacheEntryName(key: "k", identifier: "", forced: nil).computedKey == "k")
        #expect(CacheEntryName(key: "k", identifier: "p", forced: nil).computedKey == "k@p")
    }

    @Test func `KEY-2: a remote URL's key is its text`() throws {
        let url = try #require(URL(string: "https://example.com/a.png?x=1#f"))
        #expect(url.cacheKey == "https://example.com/a.png?x=1#f")
    }

    @Test func `KEY-3: a file's key begins at the last bundle`() {
        let url = URL(fileURLWithPath: "/var/One.app/x/Two.app/images/a.png")
        #expect(url.cacheKey == "kingfisher.local.cacheKey/Two.app/images/a.png")
    }

    @Test func `KEY-3: the query of a file's URL stays`() throws {
        let url = try #require(URL(string: "file:///One.app/a.png?size=2"))
        #expect(url.cacheKey == "kingfisher.local.cacheKey/One.app/a.png?size=2")
        let plugin = URL(fileURLWithPath: "/One.app/Plug.appex/a.png")
        #expect(plugin.cacheKey == "kingfisher.local.cacheKey/Plug.appex/a.png")
    }

    @Test func `KEY-3: without a bundle the whole path counts`() {
        let url = URL(fileURLWithPath: "/private/a.png")
        #expect(url.cacheKey == "kingfisher.local.cacheKey///private/a.png")
    }

    @Test func `KEY-4 KEY-5: a file resource becomes a provider and keeps its key`() {
        let resource = KF.ImageResource(
            downloadURL: URL(fileURLWithPath: "/a.png"),
            cacheKey: "mine"
        )
        let source = resource.convertToSource()
        #expect(source.cacheKey == "mine")
        guard case .provider = source else {
            Issue.record("a file URL is no download")
            return
        }
        #expect(resource.convertToSource(overrideCacheKey: "other").cacheKey == "other")
    }

    @Test func `KEY-6: a hand-made network source stays one`() {
        let source = Source.network(URL(fileURLWithPath: "/a.png"))
        guard case .network = source else {
            Issue.record("the case was changed")
            return
        }
        #expect(source.asResource != nil)
    }

    @Test func `KEY-7: sources are equal by case, key and URL`() throws {
        let url = try #require(URL(string: "https://example.com/a.png"))
        let one = Source.network(KF.ImageResource(downloadURL: url))
        #expect(one == Source.network(url))
        #expect(one != Source.network(KF.ImageResource(downloadURL: url, cacheKey: "k")))
        let provider = RawImageDataProvider(data: Data(), cacheKey: url.absoluteString)
        #expect(one != provider.convertToSource())
    }

    @MainActor
    @Test func `KEY-8: identifiers rise and are never 0`() {
        let first = Source.Identifier.next()
        #expect(first > 0)
        #expect(Source.Identifier.next() == first + 1)
    }
}

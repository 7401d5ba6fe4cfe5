import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct CacheKeyTests {
    @Test func `KEY-1: the identifier is appended to the key`() {
        #expect(CacheEntryName(key: "k", identifier: "", forced: nil).computedKey == "k")
        #expect(CacheEntryName(key: "k", identifier: "p", forced: nil).computedKey == "k@p")
    }

    @Test func `KEY-2: a remote URL's key is its text`() throws {
        let url = try #require(URL(string: "https://example.com/a.png?x=1#f"))
        #expect(url.cacheKey == "https://example.com/a.png?x=1#f")
    }

    @Test func `KEY-3: folders that end in app count, and the query of a file's URL`() throws {
        let one = URL(fileURLWithPath: "/nowhere/One.app/a.png")
        #expect(one.cacheKey == "kingfisher.local.cacheKey///nowhere/One.app/a.png")
        let query = try #require(URL(string: "file:///nowhere/a.png?size=2"))
        #expect(query.cacheKey == "kingfisher.local.cacheKey///nowhere/a.png?size=2")
    }

    @Test func `KEY-3: a changed file has another key, and a copy has one of its own`() throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("a.png")
        try TestImage.png().write(to: file)
        let first = file.cacheKey
        #expect(first == file.cacheKey)
        #expect(LocalFileImageDataProvider(fileURL: file).cacheKey == first)
        let thumbnail = ThumbnailImageDataProvider(url: file, maxPixelSize: 8).cacheKey
        try (TestImage.png() + Data([0])).write(to: file)
        #expect(file.cacheKey != first)
        #expect(ThumbnailImageDataProvider(url: file, maxPixelSize: 8).cacheKey != thumbnail)
        // The same size at another time.
        let second = file.cacheKey
        var times = [timespec(tv_sec: 1, tv_nsec: 2), timespec(tv_sec: 3, tv_nsec: 4)]
        #expect(utimensat(AT_FDCWD, file.path, &times, 0) == 0)
        #expect(file.cacheKey != second)
    }

    @Test func `KEY-3: a changed file is shown as it is now`() async throws {
        let bench = try TestBench()
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("a.png")
        for width in [8, 16] {
            try TestImage.png(width: width, height: 8).write(to: file)
            let result = try await bench.manager.retrieveImage(
                with: file,
                options: [.waitForCache]
            )
            #expect(result.image.pixelWidth == width)
            let bytes = try await bench.manager.retrieveData(
                with: .provider(
                    LocalFileImageDataProvider(fileURL: file)
                )
            )
            #expect(KFCrossPlatformImage(data: bytes.data)?.pixelWidth == width)
        }
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

    @Test(.timeLimit(.minutes(1)))
    func `KEY-6: a network source of a file is the downloader's, and no file is read`()
        async throws
    {
        let folder = try TemporaryDirectory()
        let file = folder.file("a.png")
        try TestImage.png().write(to: file)
        let transport = FakeTransport()
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "files", transport: transport),
            cache: try ImageCache(name: "files", cacheDirectoryURL: folder.url)
        )
        let source = Source.network(KF.ImageResource(downloadURL: file, cacheKey: "key"))
        let error = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: source)
        }
        guard case .requestError(reason: .invalidURL(let request))? = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(request.url == file)
        #expect(transport.requests.isEmpty)
        // With a request modifier that gives it an HTTP URL, the resource is downloaded normally.
        let url = try #require(URL(string: "http://host.test/a.png"))
        transport.answer(url, with: .picture(.solid(.red, width: 40, height: 30)))
        let modifier = AnyModifier { request in
            var request = request
            request.url = url
            return request
        }
        let result = try await manager.retrieveImage(
            with: source,
            options: [.requestModifier(modifier)]
        )
        #expect(result.image.size == CGSize(width: 40, height: 30))
        #expect(result.source == source)
        #expect(transport.requests.map(\.url) == [url])
        #expect(manager.cache.isCached(forKey: "key"))
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

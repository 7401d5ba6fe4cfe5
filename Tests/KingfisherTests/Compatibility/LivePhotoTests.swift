import Foundation
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct LivePhotoTests {
    let bench: TestBench
    let still = Data([0, 0, 0, 24]) + Data("ftypheic".utf8) + Data(repeating: 1, count: 40)
    let movie = Data([0, 0, 0, 20]) + Data("ftypqt  ".utf8) + Data(repeating: 2, count: 60)

    init() throws {
        bench = try TestBench()
    }

    private func serve(_ path: String, _ data: Data) -> URL {
        bench.server.route(path, .body(data, type: "application/octet-stream"))
        return bench.server.url(path)
    }

    private func photo() -> LivePhotoSource {
        LivePhotoSource(urls: [serve("/a.HEIC", still), serve("/a.mov", movie)])
    }

    @Test func `LIV-4: the parts are loaded once and lie in the source's order`() async throws {
        let photo = photo()
        let fresh = try await bench.manager.retrieveLivePhoto(with: photo)
        #expect(fresh.cacheType == .none)
        #expect(Set(fresh.data()) == [still, movie])
        #expect(fresh.fileURLs.map(\.pathExtension) == ["heic", "mov"])
        #expect(try Data(contentsOf: fresh.fileURLs[0]) == still)
        #expect(try Data(contentsOf: fresh.fileURLs[1]) == movie)

        let cached = try await bench.manager.retrieveLivePhoto(with: photo)
        #expect(cached.cacheType == .disk)
        #expect(cached.data().isEmpty)
        #expect(cached.fileURLs == fresh.fileURLs)
        #expect(bench.server.requests.count == 2)
    }

    @Test func `a part whose file someone else removed is loaded again`() async throws {
        let photo = photo()
        let fresh = try await bench.manager.retrieveLivePhoto(with: photo)
        try FileManager.default.removeItem(at: fresh.fileURLs[0])
        let again = try await bench.manager.retrieveLivePhoto(with: photo)
        #expect(again.data() == [still])
        #expect(try Data(contentsOf: again.fileURLs[0]) == still)
    }

    @Test func `a part whose file another program has changed is loaded again`() async throws {
        let photo = photo()
        let fresh = try await bench.manager.retrieveLivePhoto(with: photo)
        try Data(repeating: 7, count: still.count).write(to: fresh.fileURLs[0], options: [])
        let again = try await bench.manager.retrieveLivePhoto(with: photo)
        #expect(again.data() == [still])
        #expect(try Data(contentsOf: again.fileURLs[0]) == still)
    }

    @Test func `a part that is a local file is held to the policy for sources`() async throws {
        let file = bench.folder.file("still.heic")
        try still.write(to: file)
        let photo = LivePhotoSource(resources: [serve("/a.mov", movie), file])
        await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveLivePhoto(
                with: photo,
                options: [.allowedSources(.remote)]
            )
        }
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `LIV-3: missing parts alone are loaded, and all with forceRefresh`() async throws {
        let photo = photo()
        _ = try await bench.manager.retrieveLivePhoto(
            with: LivePhotoSource([photo.resources[0]])
        )
        let rest = try await bench.manager.retrieveLivePhoto(with: photo)
        #expect(rest.cacheType == .none)
        #expect(rest.data() == [movie])
        #expect(bench.server.requests(for: "/a.HEIC").count == 1)
        let again = try await bench.manager.retrieveLivePhoto(with: photo, options: [.forceRefresh])
        #expect(again.data().count == 2)
    }

    @Test func `LIV-2 LIV-3: the extension follows from the bytes if the URL has none`()
        async throws
    {
        let photo = LivePhotoSource(urls: [
            serve("/still", still), serve("/movie", movie), serve("/short", Data([1, 2, 3])),
        ])
        let fresh = try await bench.manager.retrieveLivePhoto(with: photo)
        #expect(fresh.fileURLs.map(\.pathExtension) == ["heic", "mov", ""])
        #expect(try await bench.manager.retrieveLivePhoto(with: photo).cacheType == .disk)
        #expect(photo.resources[2].fileExtension(for: Data("0000ftypheic".utf8)) == "heic")
        #expect(photo.resources[2].fileExtension(for: Data("0000ftypavif".utf8)) == nil)
        let other = LivePhotoResource(downloadURL: bench.server.url("/a.jpg"))
        #expect(other.fileExtension(for: still) == "jpg")
    }

    @Test func `LIV-5: the bytes are stored under the processor that passes them through`()
        async throws
    {
        let photo = photo()
        _ = try await bench.manager.retrieveLivePhoto(with: photo)
        let key = photo.resources[0].dataSource.cacheKey
        let id = "com.onevcat.Kingfisher.LivePhotoImageProcessor"
        #expect(
            bench.cache.isCached(
                forKey: key,
                processorIdentifier: id,
                forcedExtension: "heic"
            )
        )
        #expect(!bench.cache.isCached(forKey: key))
        #expect(bench.manager.downloader.processing.decodeCount == 0)
    }

    @Test func `a part that fails fails the photo, and leaves the others on disk or not at all`()
        async throws
    {
        bench.server.route("/gone.mov", .status(404))
        let photo = LivePhotoSource(urls: [serve("/a.heic", still), bench.server.url("/gone.mov")])
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveLivePhoto(with: photo)
        }
        #expect(error?.isInvalidResponseStatusCode(404) == true)
    }

    @Test func `onlyFromCache names the part that is missing`() async {
        let photo = photo()
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveLivePhoto(with: photo, options: [.onlyFromCache])
        }
        #expect(error?.errorCode == 3012)
        #expect(bench.server.requests.isEmpty)
    }

    @Test func `a cancel, and a photo without callers, end as cancelled`() async {
        let gate = ServerGate()
        bench.server.route("/slow.mov", .held(gate, then: .status(200)))
        let photo = LivePhotoSource(urls: [bench.server.url("/slow.mov")])
        let manager = bench.manager
        let task = Task { try await manager.retrieveLivePhoto(with: photo) }
        await bench.server.received(1)
        task.cancel()
        let cancelled = await #expect(throws: KingfisherError.self) { try await task.value }
        #expect(cancelled?.errorCode == 1004)
        gate.open()
        let unwanted = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveLivePhoto(
                with: photo,
                referenceTaskIdentifierChecker: { false }
            )
        }
        #expect(unwanted?.errorCode == 1004)
        #expect(bench.server.requests.count == 1)
    }

    @Test func `the parts can come from providers, and a photo has parts`() async throws {
        let provider = RawImageDataProvider(data: movie, cacheKey: "movie")
        let photo = LivePhotoSource([
            LivePhotoResource(source: .provider(provider), fileType: .mov)
        ])
        let result = try await bench.manager.retrieveLivePhoto(with: photo)
        #expect(result.fileURLs.map(\.pathExtension) == ["mov"])
        let error = await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveLivePhoto(with: LivePhotoSource(urls: []))
        }
        #expect(error?.errorCode == 5001)
    }

    @Test func `the downloader gives a part's bytes to a closure too`() async throws {
        let url = serve("/a.mov", movie)
        let downloader = bench.downloader
        let result: LivePhotoResourceDownloadingResult =
            try await withCheckedThrowingContinuation { continuation in
                downloader.downloadLivePhotoResource(
                    with: url,
                    options: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)])
                ) { continuation.resume(with: $0) }
            }
        #expect(result.originalData == movie)
        #expect(result.url == url)
    }
}

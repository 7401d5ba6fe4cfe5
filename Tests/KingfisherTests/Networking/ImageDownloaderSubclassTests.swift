// Without `@testable`, to see only the public API.
import Foundation
import Kingfisher
import TestSupport
import Testing

/// A subclass outside the library, with its own initialiser.
private final class TaggedDownloader: ImageDownloader, @unchecked Sendable {
    // `@unchecked` as its superclass; the tag is a constant.
    let tag: Int

    init(tag: Int) {
        self.tag = tag
        super.init(name: "tagged")
    }
}

struct ImageDownloaderSubclassTests {
    @Test func `a subclass can have an initialiser of its own`() {
        #expect(TaggedDownloader(tag: 7).tag == 7)
        #expect(TaggedDownloader(tag: 7).downloadTimeout == 15)
    }

    /// Returns an image with bytes that are not the image's, and calls its completion twice.
    private final class StubbingDownloader: ImageDownloader, @unchecked Sendable {
        override func downloadImage(
            with url: URL,
            options: KingfisherParsedOptionsInfo,
            completionHandler: (
                @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
            )? = nil
        ) -> DownloadTask {
            guard let image = KFCrossPlatformImage(data: TestImage.png(width: 3)) else {
                preconditionFailure("the test image is not decodable")
            }
            let result = ImageLoadingResult(image: image, url: url, originalData: Data())
            completionHandler?(.success(result))
            completionHandler?(.success(result))
            return DownloadTask()
        }
    }

    @Test func `the image of an overridden download is stored, whatever its bytes`() async throws {
        let bench = try TestBench()
        let url = bench.server.url("/stubbed")
        let options: KingfisherOptionsInfo = [.waitForCache]
        let manager = KingfisherManager(
            downloader: StubbingDownloader(name: "stub"),
            cache: bench.cache
        )
        _ = try await manager.retrieveImage(with: url, options: options)
        bench.cache.clearMemoryCache()
        let stored = try await manager.retrieveImage(with: url, options: options)
        #expect(stored.cacheType == .disk)
        #expect(stored.image.size.width == 3)
    }
}

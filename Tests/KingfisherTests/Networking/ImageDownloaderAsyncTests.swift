import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct ImageDownloaderAsyncTests {
    let url = URL(string: "http://a.test/a.png")
    let transport = FakeTransport()

    private func downloader() -> ImageDownloader {
        ImageDownloader(name: "test", transport: transport)
    }

    @Test func `an awaited download gives image, bytes and URL`() async throws {
        let url = try #require(self.url)
        let downloader = downloader()
        async let result = downloader.downloadImage(with: url)
        await transport.started(1)
        try transport.transfer(0).complete(TestImage.png())
        let loaded = try await result
        #expect(loaded.image.size == CGSize(width: 64, height: 48))
        #expect(loaded.originalData == TestImage.png())
        #expect(loaded.url == url)
    }

    @Test func `an awaited download reports progress`() async throws {
        let url = try #require(self.url)
        let downloader = downloader()
        let (reports, report) = AsyncStream.makeStream(of: Int64.self)
        async let result = downloader.downloadImage(
            with: url,
            options: [.scaleFactor(2)],
            progressBlock: { received, _ in report.yield(received) }
        )
        await transport.started(1)
        let transfer = try transport.transfer(0)
        let body = TestImage.png()
        transfer.respond(length: body.count)
        transfer.send(body)
        // The end drops reports that still wait for the main queue.
        #expect(await reports.first { _ in true } == Int64(body.count))
        transfer.finish()
        #expect(try await result.image.scale == 2)
    }

    @Test func `DL-33: cancelling the awaiting task cancels the download`() async throws {
        let url = try #require(self.url)
        let downloader = downloader()
        let task = Task {
            try await downloader.downloadImage(with: url, options: KingfisherParsedOptionsInfo(nil))
        }
        await transport.started(1)
        task.cancel()
        let error = await #expect(throws: KingfisherError.self) { try await task.value }
        #expect(error?.isTaskCancelled == true)
        #expect(try transport.transfer(0).isCancelled)
    }

    @Test func `the async overload calls an overridden overload with a closure`()
        async throws
    {
        let url = try #require(self.url)
        let downloader = CannedDownloader(name: "canned", transport: transport)
        let loaded = try await downloader.downloadImage(with: url)
        #expect(loaded.originalData == Data("canned".utf8))
        #expect(transport.transfers.isEmpty)
    }
}

/// Answers without a download, and twice, like faulty code.
private final class CannedDownloader: ImageDownloader, @unchecked Sendable {
    override func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let result = ImageLoadingResult(
            image: KFCrossPlatformImage(),
            originalData: Data("canned".utf8)
        )
        completionHandler?(.success(result))
        completionHandler?(.success(result))
        return DownloadTask()
    }
}

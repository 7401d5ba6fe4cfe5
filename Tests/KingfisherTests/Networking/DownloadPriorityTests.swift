import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Priorities of downloads that change while they run.
@Suite(.timeLimit(.minutes(1)))
struct DownloadPriorityTests {
    private let transport = FakeTransport()
    private let downloader: ImageDownloader
    private let manager: KingfisherManager
    private let url: URL

    init() throws {
        downloader = ImageDownloader(name: "fake", transport: transport)
        downloader.resumption = nil
        manager = KingfisherManager(downloader: downloader, cache: try TestBench().cache)
        url = try #require(URL(string: "http://host/a.jpg"))
    }

    @Test func `W-33: the priority of a load can be changed while it runs`() async throws {
        let task = manager.retrieveImage(with: url, options: [.downloadPriority(0.2)]) { _ in }
        await transport.started(1)
        let transfer = try transport.transfer(0)
        #expect(transfer.settings.priority == 0.2)
        let other = downloader.downloadImage(with: url, options: [.downloadPriority(0.3)]) { _ in }
        // The manager starts the transfer on another thread, which may not have noted it yet.
        await WorkerBench.wait { transfer.priorities == [0.3] }
        task?.priority = 0.8
        other.priority = 0.1
        #expect(transfer.priorities == [0.3, 0.8])
        #expect(task?.priority == 0.8)
        task?.priority = 0
        #expect(transfer.priorities == [0.3, 0.8, 0.1])
        other.cancel()
        #expect(transfer.priorities == [0.3, 0.8, 0.1, 0])
        task?.cancel()
    }

    @Test func `a priority set before the download starts applies to it`() async throws {
        let gate = Gate()
        let options: KingfisherOptionsInfo = [.requestModifier(Waiting(gate: gate))]
        let task = downloader.downloadImage(with: url, options: options) { _ in }
        task.priority = 0.9
        gate.open()
        await transport.started(1)
        #expect(try transport.transfer(0).settings.priority == 0.9)
        task.cancel()
    }
}

/// Waits before a request is sent.
private struct Waiting: AsyncImageDownloadRequestModifier {
    let gate: Gate

    var onDownloadTaskStarted: (@Sendable (DownloadTask?) -> Void)? { nil }

    func modified(for request: URLRequest) async -> URLRequest? {
        await gate.wait()
        return request
    }
}

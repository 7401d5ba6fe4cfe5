import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What happens while a transport starts a transfer, before the download knows it.
extension ResumingTests {
    private typealias Token = DownloadToken<NoAttachment>

    /// Breaks off a download, and returns one of the same URL that will ask for the rest.
    private func interrupted(
        _ downloads: SharedDownloads<NoAttachment>,
        by transport: FakeTransport
    ) async throws -> Token {
        let url = try #require(URL(string: "http://host/a.jpg"))
        let join = {
            downloads.join(
                URLRequest(url: url),
                partials: partials,
                caller: DownloadCaller(priority: 0.25) { _ in }
            )
        }
        let first = join()
        first.download.start()
        let broken = try transport.transfer(0)
        let fields = [("Content-Length", "\(bytes.count)"), ("ETag", "\"v1\"")]
        let head = TransferResponse(url: url, statusCode: 200, fields: fields.map { ($0, $1) })
        first.download.transfer(broken, didReceive: head) { _ in }
        broken.send(bytes.prefix(40_000))
        broken.finish(.connectionLost(reason: "test", url: url))
        await partials.flush()
        return join()
    }

    @Test func `a priority that changes while the rest is asked for is not lost`() async throws {
        let token = Locked<Token?>(nil)
        let transport = WatchedTransport { _ in token.value?.setPriority(0.9) }
        let downloads = SharedDownloads(transport: transport)
        let second = try await interrupted(downloads, by: transport.fake)
        token.change { $0 = second }
        second.download.start()
        await transport.fake.started(2)
        await partials.flush()
        let rest = try transport.fake.transfer(1)
        #expect(rest.request.value(forHTTPHeaderField: "Range") == "bytes=40000-")
        #expect(rest.settings.priority == 0.25)
        #expect(rest.priorities.last == 0.9)
    }

    @Test func `a request for the whole can be cancelled if that for the rest ended at once`()
        async throws
    {
        let transport = WatchedTransport { transfer in
            guard transfer.request.value(forHTTPHeaderField: "Range") != nil else { return }
            transfer.respond(416)
            transfer.finish()
        }
        let downloads = SharedDownloads(transport: transport)
        let second = try await interrupted(downloads, by: transport.fake)
        second.download.start()
        await transport.fake.started(3)
        await partials.flush()
        let whole = try transport.fake.transfer(2)
        #expect(whole.request.value(forHTTPHeaderField: "Range") == nil)
        second.setPriority(0.9)
        #expect(whole.priorities.last == 0.9)
        #expect(!whole.isCancelled)
        second.leave()
        #expect(whole.isCancelled)
    }
}

/// Calls a function when a transfer has begun, before the downloader knows it.
private final class WatchedTransport: HTTPTransport {
    let fake = FakeTransport()
    private let begun: @Sendable (FakeTransfer) -> Void

    init(begun: @escaping @Sendable (FakeTransfer) -> Void) { self.begun = begun }

    func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        let transfer = fake.start(request, settings: settings, handler: handler)
        if let transfer = transfer as? FakeTransfer { begun(transfer) }
        return transfer
    }
}

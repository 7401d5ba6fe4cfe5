import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What becomes of a part whose download is cancelled, or has hung.
extension ResumingTests {
    /// Starts a download, cancels it, and returns when its transfer has ended.
    ///
    /// - Parameters:
    ///   - other: The transport; by default that of the suite.
    ///   - settings: The settings of the download.
    ///   - rest: The number of transfers of the suite's transport that continue.
    ///   - wait: Returns when the download is to be cancelled; nil cancels it as soon as it has
    ///     started.
    private func cancel(
        by other: (any HTTPTransport)? = nil,
        settings: TransferSettings = .patient,
        leaving rest: Int = 0,
        after wait: (@Sendable () async -> Void)? = nil
    ) async {
        let downloads = SharedDownloads(transport: other ?? transport)
        await withCheckedContinuation { continuation in
            let token = downloads.join(
                URLRequest(url: server.url("/a")),
                settings: settings,
                partials: partials,
                caller: DownloadCaller { _ in continuation.resume() }
            )
            token.download.start()
            guard let wait else { return token.leave() }
            Task {
                await wait()
                token.leave()
            }
        }
        // The transport reports the end of a cancelled transfer later.
        while await transport.census().alive > rest {}
    }

    @Test func `DL-48: a hanging request for a range that is cancelled is not sent again`()
        async throws
    {
        let gate = ServerGate()
        serve { .held(gate, then: .status(500)) }
        _ = await download()
        await cancel { await gate.reached() }
        let whole = ServerReply.body(bytes, fields: [("ETag", "\"v1\"")])
        server.route("/a") { $0.value(for: "Range") == nil ? whole : .status(500) }
        #expect(try await download().get().data == bytes)
        #expect(ranges() == [nil, "bytes=40000-", nil])
    }

    @Test func `DL-48: a range that hung is not asked for again after a cancelled plain request`()
        async throws
    {
        let gate = ServerGate()
        serve { .held(ServerGate(), then: .status(500)) }
        _ = await download()
        server.route("/a") {
            .held($0.value(for: "Range") == nil ? gate : ServerGate(), then: .status(500))
        }
        var settings = TransferSettings.patient
        settings.idleTimeout = .seconds(1)
        await cancel(settings: settings) { await gate.reached() }
        server.route("/a", .body(bytes, fields: [("ETag", "\"v1\"")]))
        #expect(try await download().get().data == bytes)
        #expect(ranges() == [nil, "bytes=40000-", nil, nil])
    }

    @Test func `DL-48: a hanging request for a range is not sent again after a total time-out`()
        async throws
    {
        serve { .held(ServerGate(), then: .status(500)) }
        _ = await download()
        var settings = TransferSettings.patient
        settings.totalTimeout = .seconds(1)
        guard case .failure(.timedOut(.total, _, _)) = await download(settings: settings) else {
            Issue.record("no time-out")
            return
        }
        let whole = ServerReply.body(bytes, fields: [("ETag", "\"v1\"")])
        server.route("/a") { $0.value(for: "Range") == nil ? whole : .status(500) }
        #expect(try await download().get().data == bytes)
        #expect(ranges() == [nil, "bytes=40000-", nil])
    }

    @Test func `a part is kept while its download waits for a connection`() async throws {
        let gate = ServerGate()
        serve { [self] in part() }
        _ = await download()
        server.route("/held", .held(gate, then: .status(500)))
        var settings = TransferSettings.patient
        settings.maxConnectionsPerHost = 1
        _ = transport.start(
            URLRequest(url: server.url("/held")),
            settings: settings,
            handler: TransferRecorder()
        )
        await gate.reached()
        await cancel(settings: settings, leaving: 1) { [transport] in
            while await transport.census().queued == 0 {}
        }
        gate.open()
        #expect(try await download().get().metrics.resumedBytes == 40_000)
        #expect(ranges() == [nil, "bytes=40000-"])
    }

    @Test func `a part is kept if its download is cancelled before it is read`() async throws {
        serve { [self] in part() }
        _ = await download()
        for _ in 0..<10 {
            await cancel(by: FakeTransport())
            await partials.flush()
        }
        #expect(try await download().get().metrics.resumedBytes == 40_000)
    }
}

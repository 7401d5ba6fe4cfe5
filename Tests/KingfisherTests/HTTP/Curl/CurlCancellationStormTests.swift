import Foundation
import Kingfisher
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Thousands of transfers, cancelled at moments chosen by a seeded generator.
@Suite(.timeLimit(.minutes(1)))
struct CurlCancellationStormTests {
    /// When a transfer of the storm is cancelled.
    enum Moment: Sendable, CaseIterable {
        case never
        case atOnce
        case fromAnotherTask
        case atRedirect
        case atResponse
        case atChunk
        case whileThinking
    }

    let server: ImageServer

    init() throws {
        server = try ImageServer()
        let bytes = Data(repeating: 3, count: 50_000)
        server.route("/plain", .body(bytes))
        server.route("/redirect", .redirect(to: "/plain"))
        server.route("/endless", .endless(bytes))
        server.route("/silent", .held(ServerGate(), then: .text("never")))
        server.route("/short", .truncated(bytes, declared: 60_000))
    }

    private func recorder(_ moment: Moment) -> TransferRecorder {
        TransferRecorder(
            redirect: { _, next, reply in reply(moment == .atRedirect ? nil : next) },
            response: { transfer, _, reply in
                if moment == .atResponse { transfer.cancel() }
                guard moment == .whileThinking else { return reply(.allow) }
                Task {
                    transfer.cancel()
                    reply(.allow)
                }
            },
            chunk: { transfer in if moment == .atChunk { transfer.cancel() } }
        )
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `random cancels leave no memory`(seed: UInt64) async {
        var random = SplitMix(seed: seed)
        let count = 700
        var live: [Weak] = []
        do {
            let transport = CurlTransport()
            var settings = TransferSettings.patient
            settings.maxConnectionsPerHost = 16
            var recorders: [TransferRecorder] = []
            for _ in 0..<count {
                let moment = Moment.allCases.randomElement(using: &random) ?? .never
                // A transfer that never ends by itself has to be cancelled.
                let paths =
                    moment == .never || moment == .atRedirect
                    ? ["/plain", "/redirect", "/short"]
                    : ["/plain", "/redirect", "/short", "/endless"]
                let isSilent = moment == .atOnce || moment == .fromAnotherTask
                let path = (isSilent ? paths + ["/silent"] : paths).randomElement(using: &random)
                let recorder = recorder(moment)
                settings.priority = Float.random(in: 0...1, using: &random)
                let transfer = transport.start(
                    URLRequest(url: server.url(path ?? "/plain")),
                    settings: settings,
                    handler: recorder
                )
                if moment == .atOnce { transfer.cancel() }
                if moment == .fromAnotherTask { Task { transfer.cancel() } }
                recorders.append(recorder)
                live.append(Weak(recorder))
            }
            for recorder in recorders { _ = await recorder.outcome() }
            let census = await transport.census()
            #expect(census.alive == 0)
            #expect(census.running == 0)
            #expect(census.queued == 0)
            let ends = recorders.map(\.finishCount)
            #expect(ends.allSatisfy { $0 == 1 })
            let lasts = recorders.map { $0.events.last }
            #expect(lasts.allSatisfy { $0 == .finish })
        }
        // The transport's thread closes all connections when it ends.
        await server.quiet()
        let left = live.filter { $0.object != nil }.count
        #expect(left == 0)
    }
}

private struct Weak {
    weak var object: TransferRecorder?

    init(_ object: TransferRecorder) {
        self.object = object
    }
}

import Foundation
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The library's transport, each body collected in memory.
struct TransportRun {
    private let url: URL
    private let count: Int
    private let width: Int

    init(_ url: URL, _ count: Int, _ width: Int) {
        self.url = url
        self.count = count
        self.width = width
    }

    func report() async -> String? {
        var configuration = CurlTransport.Configuration()
        configuration.maxConnections = max(width, configuration.maxConnections)
        configuration.maxIdleConnections = max(width, configuration.maxIdleConnections)
        let transport = CurlTransport(configuration: configuration)
        var settings = TransferSettings()
        settings.maxConnectionsPerHost = width
        let run = Run(transport, URLRequest(url: url), settings, count: count)
        for _ in 0..<min(width, count) { run.startNext() }
        await run.measurement.wait()
        return run.measurement.report()
    }

    private final class Run: Sendable {
        let measurement: Measurement
        private let transport: CurlTransport
        private let request: URLRequest
        private let settings: TransferSettings
        private let left: Atomic<Int>

        init(
            _ transport: CurlTransport,
            _ request: URLRequest,
            _ settings: TransferSettings,
            count: Int
        ) {
            self.transport = transport
            self.request = request
            self.settings = settings
            measurement = Measurement(count: count)
            left = Atomic(count)
        }

        func startNext() {
            guard left.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 else { return }
            _ = transport.start(request, settings: settings, handler: Collector(self))
        }
    }

    private final class Collector: HTTPTransferHandler {
        private struct State {
            var data = Data()
            var expected = 0
        }

        private let run: Run
        private let start = ContinuousClock.now
        private let state = Mutex(State())

        init(_ run: Run) {
            self.run = run
        }

        func transfer(
            _ transfer: any HTTPTransfer,
            didReceive response: TransferResponse,
            reply: @escaping @Sendable (TransferDisposition) -> Void
        ) {
            state.withLock { $0.expected = min(response.expectedLength ?? 0, 4 << 20) }
            reply(response.statusCode == 200 ? .allow : .cancel)
        }

        func transfer(_ transfer: any HTTPTransfer, didReceive chunk: RawSpan) {
            state.withLock { state in
                if state.data.isEmpty { state.data.reserveCapacity(state.expected) }
                chunk.withUnsafeBytes { state.data.append(contentsOf: $0) }
            }
        }

        func transfer(
            _ transfer: any HTTPTransfer,
            didFinish error: TransferError?,
            metrics: TransferMetrics
        ) {
            let bytes = state.withLock { $0.data.count }
            run.measurement.note(error == nil ? bytes : nil, since: start)
            run.startNext()
        }
    }
}

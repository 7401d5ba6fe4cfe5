import Foundation
import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The library's transport.
///
/// Each body is collected in memory that is reused, as in the peer in C.
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
        for _ in 0..<min(width, count) { Line(run).startNext() }
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

        /// Whether another request is to be started.
        func takeNext() -> Bool {
            left.wrappingSubtract(1, ordering: .relaxed).newValue >= 0
        }

        func start(_ handler: any HTTPTransferHandler) {
            _ = transport.start(request, settings: settings, handler: handler)
        }
    }

    /// Performs downloads one after the other.
    private final class Line: HTTPTransferHandler {
        private struct State {
            var body: [UInt8] = []
            var expected = 0
            var start = ContinuousClock.now
        }

        private let run: Run
        private let state = Mutex(State())

        init(_ run: Run) {
            self.run = run
        }

        func startNext() {
            guard run.takeNext() else { return }
            state.withLock { state in
                state.body.removeAll(keepingCapacity: true)
                state.start = .now
            }
            run.start(self)
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
                if state.body.isEmpty { state.body.reserveCapacity(state.expected) }
                chunk.withUnsafeBytes { state.body.append(contentsOf: $0) }
            }
        }

        func transfer(
            _ transfer: any HTTPTransfer,
            didFinish error: TransferError?,
            metrics: TransferMetrics
        ) {
            let (bytes, start) = state.withLock { ($0.body.count, $0.start) }
            run.measurement.note(error == nil ? bytes : nil, since: start)
            startNext()
        }
    }
}

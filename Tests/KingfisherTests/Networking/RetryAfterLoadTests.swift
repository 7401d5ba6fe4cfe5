import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// Complete loads from servers that send `Retry-After`.
@Suite(.timeLimit(.minutes(1)))
struct RetryAfterLoadTests {
    let bench: TestBench
    let waits = Locked<[TimeInterval]>([])

    init() throws {
        bench = try TestBench()
    }

    /// A strategy that records its pauses instead of waiting.
    private func strategy(_ retries: Int, _ seconds: TimeInterval = 3) -> DelayRetryStrategy {
        var strategy = DelayRetryStrategy(
            maxRetryCount: retries,
            retryInterval: .seconds(seconds)
        )
        strategy.schedule = { [waits] seconds, body in
            waits.change { $0.append(seconds) }
            body()
        }
        return strategy
    }

    private func answer(_ status: Int, retryAfter: String?, times: Int) -> URL {
        let jpeg = ServerReply.body(TestImage.jpeg(width: 20, height: 10), type: "image/jpeg")
        let fields = retryAfter.map { [("Retry-After", $0)] } ?? []
        let asked = Locked(0)
        bench.server.route("/a.jpg") { _ in
            asked.change { $0 += 1 }
            return asked.value > times ? jpeg : .status(status, fields: fields)
        }
        return bench.server.url("/a.jpg")
    }

    private func load(_ url: URL, _ strategy: DelayRetryStrategy) async throws {
        _ = try await bench.manager.retrieveImage(
            with: .network(url),
            options: [.retryStrategy(strategy)]
        )
    }

    @Test(
        arguments: [
            (429, "7", 7), (503, "7", 7), (503, "1", 3), (503, nil, 3), (429, "soon", 3),
            (500, "7", 3), (404, "7", 3),
        ] as [(Int, String?, TimeInterval)]
    )
    func `the longer of both pauses counts, for 429 and 503`(
        status: Int,
        retryAfter: String?,
        pause: TimeInterval
    ) async throws {
        try await load(answer(status, retryAfter: retryAfter, times: 2), strategy(3))
        #expect(waits.value == [pause, pause])
        #expect(bench.server.requests.count == 3)
    }

    @Test func `an absurdly long pause ends the load`() async throws {
        let url = answer(503, retryAfter: "3600", times: 1)
        await #expect(throws: KingfisherError.self) { try await load(url, strategy(3)) }
        #expect(bench.server.requests.count == 1)
        var patient = strategy(3)
        patient.longestServerDelay = 3600
        try await load(answer(503, retryAfter: "3600", times: 1), patient)
        #expect(waits.value == [3600])
    }

    @Test func `an error contains the pause, and the transport's own error`() async throws {
        let url = answer(503, retryAfter: "9", times: 1)
        do {
            try await load(url, strategy(0))
        } catch let error as KingfisherError {
            #expect(error.retryAfter == .seconds(9))
            #expect(error.transferError == nil)
        }
        bench.server.route("/b.jpg", .truncated(Data(count: 10), declared: 20))
        do {
            try await load(bench.server.url("/b.jpg"), strategy(0))
        } catch let error as KingfisherError {
            #expect(error.retryAfter == nil)
            #expect(error.transferError?.isTransient == true)
        }
    }

    @Test func `NetworkRetryStrategy waits as well while there is a network`() async throws {
        let strategy = NetworkRetryStrategy(
            timeoutInterval: nil,
            networkMonitor: Connected(),
            schedule: { [waits] seconds, body in
                waits.change { $0.append(seconds) }
                body()
            }
        )
        let url = answer(429, retryAfter: "5", times: 2)
        _ = try await bench.manager.retrieveImage(
            with: .network(url),
            options: [.retryStrategy(strategy)]
        )
        #expect(waits.value == [5, 5])
    }
}

private struct Connected: NetworkMonitoring {
    var isConnected: Bool { true }

    func observeConnectivity(
        timeoutInterval: TimeInterval?,
        callback: @escaping @Sendable (Bool) -> Void
    ) -> any NetworkObserver {
        preconditionFailure("there is a network")
    }
}

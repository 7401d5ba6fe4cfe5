package import Foundation
package import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// A transport without a network: the test plays the server.
package final class FakeTransport: HTTPTransport {
    private struct State {
        var transfers: [FakeTransfer] = []
        var waiters: [(Int, CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// Creates a transport that has not been used.
    package init() {}

    /// The transfers so far, in order of their start.
    package var transfers: [FakeTransfer] { state.withLock { $0.transfers } }

    /// Waits until `count` transfers have been started.
    package func started(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.transfers.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Notes the transfer; nothing happens until the test says so.
    package func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        let transfer = FakeTransfer(request: request, settings: settings, handler: handler)
        let ready = state.withLock { state in
            state.transfers.append(transfer)
            let count = state.transfers.count
            let ready = state.waiters.filter { $0.0 <= count }.map { $0.1 }
            state.waiters.removeAll { $0.0 <= count }
            return ready
        }
        for continuation in ready { continuation.resume() }
        return transfer
    }
}

/// A transfer whose events the test makes.
package final class FakeTransfer: HTTPTransfer {
    private struct State {
        var isCancelled = false
        var isPaused = false
        var hasFinished = false
        var priorities: [Float] = []
        var disposition: TransferDisposition?
    }

    /// What was asked for.
    package let request: URLRequest
    /// With which settings.
    package let settings: TransferSettings
    private let handler: any HTTPTransferHandler
    private let state = Mutex(State())

    init(request: URLRequest, settings: TransferSettings, handler: any HTTPTransferHandler) {
        self.request = request
        self.settings = settings
        self.handler = handler
    }

    /// Whether it was cancelled.
    package var isCancelled: Bool { state.withLock { $0.isCancelled } }
    /// Whether it is paused.
    package var isPaused: Bool { state.withLock { $0.isPaused } }
    /// The priorities that were set after the start.
    package var priorities: [Float] { state.withLock { $0.priorities } }
    /// The answer to the last response, if there was one.
    package var disposition: TransferDisposition? { state.withLock { $0.disposition } }

    /// Ends with ``TransferError/cancelled``, at once and on this thread.
    package func cancel() {
        state.withLock { $0.isCancelled = true }
        finish(.cancelled)
    }

    /// Notes it.
    package func pause() { state.withLock { $0.isPaused = true } }

    /// Notes it.
    package func resume() { state.withLock { $0.isPaused = false } }

    /// Notes it.
    package func setPriority(_ priority: Float) {
        state.withLock { $0.priorities.append(priority) }
    }

    /// Announces a response, with a length if given.
    package func respond(_ status: Int = 200, length: Int? = nil) {
        guard let url = request.url else { return }
        let fields = length.map { [(name: "Content-Length", value: "\($0)")] } ?? []
        let response = TransferResponse(url: url, statusCode: status, fields: fields)
        handler.transfer(self, didReceive: response) { [self] disposition in
            state.withLock { $0.disposition = disposition }
        }
    }

    /// Delivers a piece of the body.
    package func send(_ data: Data) {
        handler.transfer(self, didReceive: data.bytes)
    }

    /// Ends; only the first time counts.
    package func finish(_ error: TransferError? = nil) {
        let isFirst = state.withLock { state in
            defer { state.hasFinished = true }
            return !state.hasFinished
        }
        guard isFirst else { return }
        handler.transfer(self, didFinish: error, metrics: TransferMetrics())
    }

    /// A response, a body and the end in one go.
    package func complete(_ body: Data, status: Int = 200) {
        respond(status, length: body.count)
        send(body)
        finish()
    }
}

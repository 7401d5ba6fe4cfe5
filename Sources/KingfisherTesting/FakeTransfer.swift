public import Foundation
public import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A transfer whose events a test makes, in the order of the real ones: a response, chunks, the
/// end.
public final class FakeTransfer: HTTPTransfer {
    private struct State {
        var isCancelled = false
        var isPaused = false
        var hasFinished = false
        var priorities: [Float] = []
        var disposition: TransferDisposition?
    }

    /// What was asked for.
    public let request: URLRequest
    /// With which settings.
    public let settings: TransferSettings
    private let handler: any HTTPTransferHandler
    private let state = Mutex(State())

    init(request: URLRequest, settings: TransferSettings, handler: any HTTPTransferHandler) {
        self.request = request
        self.settings = settings
        self.handler = handler
    }

    /// Whether it was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }
    /// Whether it is paused.
    public var isPaused: Bool { state.withLock { $0.isPaused } }
    /// The priorities that were set after the start.
    public var priorities: [Float] { state.withLock { $0.priorities } }
    /// What was said to the last response, if there was one.
    public var disposition: TransferDisposition? { state.withLock { $0.disposition } }

    // MARK: The server's side

    /// Shows certificates, as a server does before it gets the request.
    ///
    /// - Parameters:
    ///   - trust: What it shows.
    ///   - reply: Called with what the downloader's responder decides.
    public func present(
        _ trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    ) {
        handler.transfer(self, didReceive: trust, reply: reply)
    }

    /// Announces a response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - length: The bytes that are announced; nil for none.
    ///   - type: The content type, if any.
    ///   - reply: Called with what the downloader says to it.
    public func respond(
        _ status: Int = 200,
        length: Int? = nil,
        type: String? = nil,
        reply: @escaping @Sendable (TransferDisposition) -> Void = { _ in }
    ) {
        guard let url = request.url else { return }
        var fields: [(name: String, value: String)] = []
        if let length { fields.append((name: "Content-Length", value: "\(length)")) }
        if let type { fields.append((name: "Content-Type", value: type)) }
        let response = TransferResponse(url: url, statusCode: status, fields: fields)
        handler.transfer(self, didReceive: response) { [self] disposition in
            state.withLock { $0.disposition = disposition }
            reply(disposition)
        }
    }

    /// Delivers a piece of the body.
    public func send(_ data: Data) {
        handler.transfer(self, didReceive: data.bytes)
    }

    /// Ends; only the first time counts.
    public func finish(_ error: TransferError? = nil) {
        let isFirst = state.withLock { state in
            defer { state.hasFinished = true }
            return !state.hasFinished
        }
        guard isFirst else { return }
        handler.transfer(self, didFinish: error, metrics: TransferMetrics())
    }

    /// Ends because the downloader did not want the answer.
    func finish(refusedFor reason: any Error) {
        guard let url = request.url else { return }
        finish(.rejected(reason: reason, url: url))
    }

    /// A response, a body and the end in one go.
    public func complete(_ body: Data, status: Int = 200) {
        respond(status, length: body.count)
        send(body)
        finish()
    }

    // MARK: HTTPTransfer

    /// Ends with `TransferError.cancelled`, at once and on this thread.
    public func cancel() {
        state.withLock { $0.isCancelled = true }
        finish(.cancelled)
    }

    /// Notes it.
    public func pause() { state.withLock { $0.isPaused = true } }

    /// Notes it.
    public func resume() { state.withLock { $0.isPaused = false } }

    /// Notes it.
    public func setPriority(_ priority: Float) {
        state.withLock { $0.priorities.append(priority) }
    }
}

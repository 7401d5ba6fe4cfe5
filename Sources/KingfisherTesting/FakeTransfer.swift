public import Foundation
public import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A transfer whose events are sent by a test, in the order of a real one: a response, chunks, the
/// end.
///
/// ```swift
/// await transport.started(1)
/// try transport.transfer(0).complete(ScriptedPicture.solid(.blue).data())
/// ```
public final class FakeTransfer: HTTPTransfer {
    private struct State {
        var isCancelled = false
        var isPaused = false
        var hasFinished = false
        var priorities: [Float] = []
        var disposition: TransferDisposition?
    }

    /// The request.
    public let request: URLRequest
    /// The settings.
    public let settings: TransferSettings
    /// Nil after the end: the handler retains its download, and that the downloader.
    private let handler: Mutex<(any HTTPTransferHandler)?>
    private let state = Mutex(State())

    init(request: URLRequest, settings: TransferSettings, handler: any HTTPTransferHandler) {
        self.request = request
        self.settings = settings
        self.handler = Mutex(handler)
    }

    /// Whether the transfer was cancelled.
    public var isCancelled: Bool { state.withLock { $0.isCancelled } }
    /// Whether the transfer is paused.
    public var isPaused: Bool { state.withLock { $0.isPaused } }
    /// The priorities set after the start, in order.
    public var priorities: [Float] { state.withLock { $0.priorities } }
    /// The downloader's decision about the last response, if any.
    public var disposition: TransferDisposition? { state.withLock { $0.disposition } }

    /// The receiver of the events; nil after the end.
    private var receiver: (any HTTPTransferHandler)? { handler.withLock { $0 } }

    // MARK: Acting as the server

    /// Presents certificates, as a server does before it receives the request.
    ///
    /// - Parameters:
    ///   - trust: The certificates.
    ///   - reply: Called with the decision of the downloader's responder.
    public func present(
        _ trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    ) {
        receiver?.transfer(self, didReceive: trust, reply: reply)
    }

    /// Sends the head of a response.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - length: The stated length in bytes; nil for none.
    ///   - type: The content type, if any.
    ///   - reply: Called with the downloader's decision.
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
        receiver?.transfer(self, didReceive: response) { [self] disposition in
            state.withLock { $0.disposition = disposition }
            reply(disposition)
        }
    }

    /// Sends a piece of the body.
    public func send(_ data: Data) {
        receiver?.transfer(self, didReceive: data.bytes)
    }

    /// Ends the transfer; later calls have no effect.
    public func finish(_ error: TransferError? = nil) {
        let isFirst = state.withLock { state in
            defer { state.hasFinished = true }
            return !state.hasFinished
        }
        guard isFirst else { return }
        let handler = handler.withLock { $0.take() }
        handler?.transfer(self, didFinish: error, metrics: TransferMetrics())
    }

    /// Ends the transfer because the downloader refused the response.
    func finish(refusedFor reason: any Error) {
        guard let url = request.url else { return }
        finish(.rejected(reason: reason, url: url))
    }

    /// Sends a response with a body and ends the transfer.
    ///
    /// - Parameters:
    ///   - body: The bytes; their length is stated.
    ///   - status: The status code.
    public func complete(_ body: Data, status: Int = 200) {
        respond(status, length: body.count)
        send(body)
        finish()
    }

    // MARK: HTTPTransfer

    /// Ends with `TransferError.cancelled`, synchronously on the calling thread.
    public func cancel() {
        state.withLock { $0.isCancelled = true }
        finish(.cancelled)
    }

    /// Records the call; see ``isPaused``.
    public func pause() { state.withLock { $0.isPaused = true } }

    /// Records the call; see ``isPaused``.
    public func resume() { state.withLock { $0.isPaused = false } }

    /// Records the priority; see ``priorities``.
    public func setPriority(_ priority: Float) {
        state.withLock { $0.priorities.append(priority) }
    }
}

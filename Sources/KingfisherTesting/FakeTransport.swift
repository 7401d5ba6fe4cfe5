import Dispatch
public import Foundation
public import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A transport without a network: a downloader made with it gets the answers that a test has set.
///
/// ```swift
/// let transport = FakeTransport()
/// transport.answer(url, with: .picture(.solid(.red, width: 40, height: 30)))
/// let downloader = ImageDownloader(name: "test", transport: transport)
/// ```
///
/// A request for a URL without an answer stays open, so that a test can play the server by hand
/// with ``transfers``.
public final class FakeTransport: HTTPTransport {
    private struct State {
        var transfers: [FakeTransfer] = []
        var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var answers: [URL: [FakeAnswer]] = [:]
        var otherwise: FakeAnswer?
    }

    private let state = Mutex(State())
    // One thread at a time, like the thread of a real transport.
    private let queue = DispatchQueue(label: "com.onevcat.Kingfisher.FakeTransport")

    /// Creates a transport that answers nothing and has not been used.
    public init() {}

    // MARK: Answers

    /// Sets what the requests for a URL get, one answer after another; the last one stays.
    ///
    /// Replaces what was set before. No answers: requests stay open again.
    public func answer(_ url: URL, with answers: FakeAnswer...) {
        state.withLock { $0.answers[url] = answers }
    }

    /// Sets what requests for URLs without an answer of their own get; nil leaves them open.
    public func answerOthers(with answer: FakeAnswer?) {
        state.withLock { $0.otherwise = answer }
    }

    // MARK: What was asked

    /// The transfers so far, in order of their start.
    public var transfers: [FakeTransfer] { state.withLock { $0.transfers } }

    /// The requests so far, in order.
    public var requests: [URLRequest] { transfers.map(\.request) }

    /// Waits until `count` transfers have been started, counted from the first one.
    public func started(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.transfers.count >= count { return true }
                state.waiters.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: HTTPTransport

    /// Notes the transfer, and answers it if there is an answer for its URL.
    public func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        let transfer = FakeTransfer(request: request, settings: settings, handler: handler)
        let (ready, answer) = state.withLock { state in
            state.transfers.append(transfer)
            let count = state.transfers.count
            let ready = state.waiters.filter { $0.count <= count }.map(\.continuation)
            state.waiters.removeAll { $0.count <= count }
            return (ready, Self.nextAnswer(for: request.url, in: &state))
        }
        for continuation in ready { continuation.resume() }
        if let answer {
            queue.async { answer.play(on: transfer) }
        }
        return transfer
    }

    private static func nextAnswer(for url: URL?, in state: inout State) -> FakeAnswer? {
        guard let url, let answers = state.answers[url], let first = answers.first else {
            return state.otherwise
        }
        if answers.count > 1 { state.answers[url]?.removeFirst() }
        return first
    }
}

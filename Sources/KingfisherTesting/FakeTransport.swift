import Dispatch
public import Foundation
public import Kingfisher
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A transport without a network: its downloaders receive answers set by the test.
///
/// ```swift
/// let transport = FakeTransport()
/// transport.answer(url, with: .picture(.solid(.red, width: 40, height: 30)))
/// let downloader = ImageDownloader(name: "test", transport: transport)
/// ```
///
/// A request for a URL without an answer stays open, so that the test can act as the server through
/// ``transfers``.
public final class FakeTransport: HTTPTransport {
    private struct State {
        var transfers: [FakeTransfer] = []
        var answers: [URL: [FakeAnswer]] = [:]
        var otherwise: FakeAnswer?
    }

    private let state = Mutex(State())
    private let begun = EventCount()
    // A serial queue, like the single thread of a real transport.
    private let queue = DispatchQueue(label: "com.onevcat.Kingfisher.FakeTransport")

    /// Creates a transport without answers.
    public init() {}

    // MARK: Answers

    /// Sets the answers for requests of a URL.
    ///
    /// Each request takes the next answer; the last one is used repeatedly. Replaces earlier
    /// answers.
    ///
    /// - Parameters:
    ///   - url: The URL.
    ///   - answers: The answers in order; without any, requests stay open.
    public func answer(_ url: URL, with answers: FakeAnswer...) {
        state.withLock { $0.answers[url] = answers }
    }

    /// Sets the answer for URLs without an answer of their own; nil leaves their requests open.
    public func answerOthers(with answer: FakeAnswer?) {
        state.withLock { $0.otherwise = answer }
    }

    // MARK: Received requests

    /// The transfers so far, in the order of their start.
    public var transfers: [FakeTransfer] { state.withLock { $0.transfers } }

    /// The transfer that started after `index` others.
    ///
    /// Unlike an element of ``transfers`` it does not end the run of all tests if a wait before it has
    /// been cancelled, as by the time limit of a test.
    ///
    /// - Throws: ``NoTransfer`` if fewer have started.
    public func transfer(_ index: Int) throws -> FakeTransfer {
        let transfers = transfers
        guard transfers.indices.contains(index) else {
            throw NoTransfer(index: index, count: transfers.count)
        }
        return transfers[index]
    }

    /// A test has asked for a transfer that has not started.
    public struct NoTransfer: Error, CustomStringConvertible {
        /// The number of the transfer, counted from 0.
        public let index: Int

        /// How many transfers have started.
        public let count: Int

        /// What has happened, and what to do.
        public var description: String {
            "There is no transfer \(index): \(count) have started. Wait for it with started(\(index + 1))."
        }
    }

    /// The requests so far, in order.
    public var requests: [URLRequest] { transfers.map(\.request) }

    /// Waits until `count` transfers have been started in total, or the task is cancelled.
    public func started(_ count: Int) async { await begun.reached(count) }

    // MARK: HTTPTransport

    /// Records the transfer, and answers it if there is an answer.
    ///
    /// See `HTTPTransport/start(_:settings:handler:)`.
    public func start(
        _ request: URLRequest,
        settings: TransferSettings,
        handler: any HTTPTransferHandler
    ) -> any HTTPTransfer {
        let transfer = FakeTransfer(request: request, settings: settings, handler: handler)
        let answer = state.withLock { state in
            state.transfers.append(transfer)
            return Self.nextAnswer(for: request.url, in: &state)
        }
        begun.add()
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

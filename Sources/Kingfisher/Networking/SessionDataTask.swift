public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// One running download, shared by every caller that wants it.
///
/// `@unchecked`: the class is public and not final; its state is guarded by a mutex.
public class SessionDataTask: @unchecked Sendable {
    /// Names one caller within the download.
    public typealias CancelToken = Int

    /// How a download ended, after the delegate has seen it.
    typealias Outcome = Result<FetchedData, KingfisherError>

    private struct State {
        var metrics: NetworkMetrics?
        var received: (@Sendable () -> Data?)?
        var outcome: Outcome?
        /// How many callers still want the outcome.
        var callers = 0
        var task: URLSessionDataTask?
    }

    private let state = Mutex(State())
    private let ended = Gate()
    private let request: URLRequest

    /// The URL of the request as it was first sent.
    public let originalURL: URL?

    init(request: URLRequest) {
        self.request = request
        originalURL = request.url
    }

    /// An independent copy of what has arrived; empty once every caller has its bytes.
    public var mutableData: Data {
        let (outcome, received) = state.withLock { ($0.outcome, $0.received) }
        if case .success(let fetched) = outcome { return fetched.data }
        return received?() ?? Data()
    }

    /// A description of the download in the system's vocabulary.
    ///
    /// The library's own transport carries the download out, so this task is never resumed; use it
    /// to read the request. Made when first asked for.
    public var task: URLSessionDataTask {
        state.withLock { state in
            if let task = state.task { return task }
            let task = Self.descriptions.dataTask(with: request)
            state.task = task
            return task
        }
    }

    /// What the download took; nil until it has ended.
    public var metrics: NetworkMetrics? {
        state.withLock { $0.metrics }
    }

    func setBody(_ received: @escaping @Sendable () -> Data?) {
        state.withLock { $0.received = received }
    }

    func setMetrics(_ metrics: NetworkMetrics) {
        state.withLock { $0.metrics = metrics }
    }

    /// Counts a caller who will ask for the outcome.
    func enter() {
        state.withLock { $0.callers += 1 }
    }

    /// Discounts a caller; with the last one the bytes are let go, since a handle may live long.
    func leave() {
        state.withLock { state in
            state.callers -= 1
            if state.callers == 0, state.outcome != nil { state.outcome = nil }
        }
    }

    /// Ends the download for all who wait for its outcome.
    func end(_ outcome: Outcome) {
        // Without itself inside, or it would never be freed.
        let kept = outcome.map { $0.with(sessionTask: nil) }
        state.withLock { $0.outcome = kept }
        ended.open()
    }

    /// The outcome, once there is one.
    func outcome() async -> Outcome {
        await ended.wait()
        let outcome = state.withLock { $0.outcome }
        return outcome?.map { $0.with(sessionTask: self) }
            ?? .failure(.requestError(reason: .asyncTaskContextCancelled))
    }

    private static let descriptions = URLSession(configuration: .ephemeral)
}

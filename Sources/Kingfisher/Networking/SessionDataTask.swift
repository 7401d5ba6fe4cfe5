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
        /// Until the end, after which the outcome has the bytes.
        var download: SharedDownload?
        var outcome: Outcome?
        /// Called when the last caller has let go of the bytes.
        var abandoned: (@Sendable (SessionDataTask) -> Void)?
        var task: URLSessionDataTask?
    }

    private let state = Mutex(State())
    private let ended = Gate()
    let request: URLRequest
    /// What is made of the bytes.
    let graph = JobGraph()
    /// Whether the download had ended before it was asked for: then there is nothing to wait for.
    private let isTooLate: Bool

    /// The URL of the request as it was first sent.
    public let originalURL: URL?

    init(request: URLRequest, isTooLate: Bool = false) {
        self.request = request
        self.isTooLate = isTooLate
        originalURL = request.url
    }

    /// An independent copy of what has arrived; empty once every caller has its bytes.
    public var mutableData: Data {
        let (outcome, download) = state.withLock { ($0.outcome, $0.download) }
        if case .success(let fetched) = outcome { return fetched.data }
        return download?.data ?? Data()
    }

    /// What has arrived behind the first `offset` bytes; empty after the end.
    func bytes(from offset: Int) -> Data {
        state.withLock { $0.download }?.data(from: offset) ?? Data()
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

    /// Holds the download until the end, to show what has arrived.
    func setDownload(_ download: SharedDownload) {
        state.withLock { $0.download = download }
    }

    func setMetrics(_ metrics: NetworkMetrics) {
        state.withLock { $0.metrics = metrics }
    }

    /// Adds a caller who will ask for the outcome.
    func enter(_ options: KingfisherParsedOptionsInfo) -> JobMembership {
        JobMembership(self, token: graph.join(options))
    }

    /// Adds a caller while others still have the bytes.
    func enterIfInUse(_ options: KingfisherParsedOptionsInfo) -> JobMembership? {
        graph.joinIfInUse(options).map { JobMembership(self, token: $0) }
    }

    /// Removes a caller; with the last one the bytes are let go, since a handle may live long.
    func leave(_ token: Int) {
        guard graph.leave(token) else { return }
        let abandoned = state.withLock { state in
            state.outcome = nil
            defer { state.abandoned = nil }
            return state.abandoned
        }
        abandoned?(self)
    }

    /// Calls `handler` when the last caller has let go of the bytes, or now when nobody has them.
    func whenAbandoned(_ handler: @escaping @Sendable (SessionDataTask) -> Void) {
        state.withLock { $0.abandoned = handler }
        guard graph.isEmpty else { return }
        let abandoned = state.withLock { state in
            defer { state.abandoned = nil }
            return state.abandoned
        }
        abandoned?(self)
    }

    /// Ends the download for all who wait for its outcome.
    func end(_ outcome: Outcome) {
        graph.bytesDidArrive()
        state.withLock { state in
            state.outcome = outcome
            state.download = nil
        }
        ended.open()
    }

    /// The outcome, once there is one; nil for one who came when all others had let go of it.
    func outcome() async -> Outcome? {
        guard !isTooLate else { return nil }
        await ended.wait()
        return state.withLock { $0.outcome }
    }

    private static let descriptions = URLSession(configuration: .ephemeral)
}

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

    private struct State {
        /// Until the last caller has let go of the bytes, since a handle may live long.
        var download: SharedDownload?
        var metrics: NetworkMetrics?
        var task: URLSessionDataTask?
        /// The download's when its bytes were let go of.
        var lastPriority: Float?
    }

    private let state: Mutex<State>
    let request: URLRequest
    /// What is made of the bytes.
    let graph = JobGraph()

    /// The URL of the request as it was first sent.
    public let originalURL: URL?

    init(request: URLRequest, download: SharedDownload? = nil) {
        self.request = request
        originalURL = request.url
        state = Mutex(State(download: download))
    }

    /// An independent copy of what has arrived; empty once every caller has its bytes.
    public var mutableData: Data {
        guard let download = state.withLock({ $0.download }) else { return Data() }
        return download.result?.data ?? download.data
    }

    /// What has arrived behind the first `offset` bytes; empty after the end.
    func bytes(from offset: Int) -> Data {
        guard let download = state.withLock({ $0.download }), !download.hasEnded else {
            return Data()
        }
        return download.data(from: offset)
    }

    /// A description of the download in the system's vocabulary.
    ///
    /// The library's own transport carries the download out, so this task is never resumed; use it
    /// to read the request and the priority, which is the highest of the callers'. Writing its
    /// properties has no effect. Made when first asked for.
    public var task: URLSessionDataTask {
        let download = state.withLock { $0.download }
        let current = download?.priority
        return state.withLock { state in
            let task = state.task ?? Self.descriptions.dataTask(with: request)
            if let priority = current ?? state.lastPriority { task.priority = priority }
            state.task = task
            return task
        }
    }

    /// What the download took; nil until it has ended.
    public var metrics: NetworkMetrics? {
        state.withLock { $0.metrics }
    }

    func setMetrics(_ metrics: NetworkMetrics) {
        state.withLock { $0.metrics = metrics }
    }

    /// Lets go of the bytes and of what was made of them.
    func forget() {
        let priority = state.withLock { $0.download }?.priority
        state.withLock { state in
            state.lastPriority = priority ?? state.lastPriority
            state.download = nil
        }
        graph.forget()
    }

    private static let descriptions = URLSession(configuration: .ephemeral)
}

public import Foundation
import Synchronization

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

// `@unchecked`: the class is public and not final; its state is guarded by a mutex.
/// A download, shared by its callers.
///
/// Delegates and redirect handlers get it; programs that load images do not need it.
///
/// ```swift
/// print(task.mutableData.count, "bytes so far")
/// ```
public class SessionDataTask: @unchecked Sendable {
    /// Identifies one caller of the download.
    public typealias CancelToken = Int

    private struct State {
        /// Nil after the last caller has released the bytes, since handles may live long.
        var download: SharedDownload<SessionDataTask>?
        var metrics: NetworkMetrics?
        var task: URLSessionDataTask?
        /// The priority of the download when its bytes were released.
        var lastPriority: Float?
        /// The bytes with the images made of them, once they were needed.
        var encoded: EncodedImage?
    }

    private let state: Mutex<State>
    let request: URLRequest

    /// The URL of the original request.
    public let originalURL: URL?

    init(request: URLRequest, download: SharedDownload<SessionDataTask>? = nil) {
        self.request = request
        originalURL = request.url
        state = Mutex(State(download: download))
    }

    /// Makes the object for a download.
    convenience init(_ download: SharedDownload<SessionDataTask>) {
        self.init(request: download.request, download: download)
    }

    /// An independent copy of the bytes received so far; empty after all callers have finished.
    public var mutableData: Data {
        guard let download = state.withLock({ $0.download }) else { return Data() }
        return download.result?.data ?? download.data
    }

    /// The bytes received after the first `offset` bytes; empty after the end.
    func bytes(from offset: Int) -> Data {
        guard let download = state.withLock({ $0.download }), !download.hasEnded else {
            return Data()
        }
        return download.data(from: offset)
    }

    /// A `URLSessionDataTask` that describes the download.
    ///
    /// The task is never resumed, because the library's transport performs the download. Use it to
    /// read the request and the priority, which is the highest of all callers. Setting its
    /// properties has no effect. Made on first use.
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

    /// The bytes with the images made of them; nil after the last caller has released them.
    var encoded: EncodedImage? {
        state.withLock { state in
            if state.encoded == nil, state.download != nil { state.encoded = EncodedImage() }
            return state.encoded
        }
    }

    /// Changes the priority of one caller.
    func prioritise(_ token: CancelToken, _ priority: Float) {
        state.withLock { $0.download }?.prioritise(token, priority)
    }

    /// The metrics of the download; nil before it has ended.
    public var metrics: NetworkMetrics? {
        state.withLock { $0.metrics }
    }

    func setMetrics(_ metrics: NetworkMetrics) {
        state.withLock { $0.metrics = metrics }
    }

    /// Releases the bytes and the images made from them.
    func forget() {
        let priority = state.withLock { $0.download }?.priority
        state.withLock { state in
            state.lastPriority = priority ?? state.lastPriority
            state.download = nil
            state.encoded = nil
        }
    }

    private static let descriptions = URLSession(configuration: .ephemeral)
}

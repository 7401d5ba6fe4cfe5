import Synchronization

/// The handle of one caller's share of a load.
///
/// Several handles can share one download; cancelling one withdraws its caller alone. A cancel is
/// never lost: one that comes before there is anything to cancel takes effect when there is.
///
/// `@unchecked`: the class stays `Sendable` for callers that capture it; its state is guarded by a
/// mutex.
public final class DownloadTask: @unchecked Sendable {
    private struct State {
        var sessionTask: SessionDataTask?
        var cancelToken: SessionDataTask.CancelToken?
        var isProvider = false
        var linked: DownloadTask?
        var onInitialized: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    let cancellation: CancellationLatch

    /// Makes a handle that nothing is attached to yet.
    ///
    /// For downloaders of your own: return it from `downloadImage`, and link it to a real one.
    public convenience init() {
        self.init(cancellation: CancellationLatch())
    }

    /// Makes a handle for a further attempt of a load: cancelling one of its handles cancels all.
    init(cancellation: CancellationLatch) {
        self.cancellation = cancellation
    }

    /// The download that is shared; nil for a provider and before the download began.
    public var sessionTask: SessionDataTask? {
        let (own, linked) = state.withLock { ($0.sessionTask, $0.linked) }
        return own ?? linked?.sessionTask
    }

    /// Names this caller within the download.
    public var cancelToken: SessionDataTask.CancelToken? {
        let (own, linked) = state.withLock { ($0.cancelToken, $0.linked) }
        return own ?? linked?.cancelToken
    }

    /// Withdraws this caller from the load, at whatever stage it is.
    ///
    /// The completion gets a cancel error; other callers of the same download go on, and the last
    /// one to withdraw stops it. After the completion it does nothing.
    public func cancel() {
        cancellation.cancel()
    }

    /// Whether a download or a provider's work is attached.
    public var isInitialized: Bool {
        let (own, linked) = state.withLock {
            ($0.isProvider || ($0.sessionTask != nil && $0.cancelToken != nil), $0.linked)
        }
        return own || linked?.isInitialized == true
    }

    /// Makes this handle stand for another one: cancelling this one cancels that one.
    public func link(to task: DownloadTask) {
        change { $0.linked = task }
        cancellation.onCancel { task.cancel() }
    }

    /// Whether ``cancel()`` was called.
    package var isCancelled: Bool { cancellation.isCancelled }

    /// Calls `handler` when the handle is cancelled, on that thread, or at once if it was.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        cancellation.onCancel(handler)
    }

    func attach(_ sessionTask: SessionDataTask, token: SessionDataTask.CancelToken) {
        change {
            $0.sessionTask = sessionTask
            $0.cancelToken = token
        }
    }

    func attachProvider() {
        change { $0.isProvider = true }
    }

    /// Calls `handler` once, when there is something to cancel.
    func onInitialized(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.onInitialized = handler }
    }

    private func change(_ body: (inout State) -> Void) {
        let handler = state.withLock { state in
            body(&state)
            defer { state.onInitialized = nil }
            return state.onInitialized
        }
        handler?()
    }
}

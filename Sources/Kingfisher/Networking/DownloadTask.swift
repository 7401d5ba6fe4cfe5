import Dispatch
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The handle with which one caller cancels its load.
///
/// Several handles can share one download; cancelling one of them cancels only its caller. A
/// cancellation is never lost: if it comes before the download starts, it takes effect then.
///
/// ```swift
/// let task = KingfisherManager.shared.retrieveImage(with: url) { result in print(result) }
/// task?.cancel()
/// ```
public final class DownloadTask: Sendable {
    private struct State {
        var sessionTask: SessionDataTask?
        var cancelToken: SessionDataTask.CancelToken?
        var isProvider = false
        var looksUp = false
        var linked: DownloadTask?
        var onInitialized: (@Sendable () -> Void)?
        var priority: Float?
    }

    private let state = Mutex(State())
    let cancellation: CancellationLatch

    /// Makes a handle without a download.
    ///
    /// For custom downloaders: return it from `downloadImage`, and link it to an actual one.
    public convenience init() {
        self.init(cancellation: CancellationLatch())
    }

    /// Makes a handle for another attempt of a load; cancelling one handle of a load cancels all.
    init(cancellation: CancellationLatch, priority: Float? = nil) {
        self.cancellation = cancellation
        state.withLock { $0.priority = priority }
    }

    /// The shared download; nil for a provider and before the download has started.
    public var sessionTask: SessionDataTask? {
        let (own, linked) = state.withLock { ($0.sessionTask, $0.linked) }
        return own ?? linked?.sessionTask
    }

    /// Identifies this caller within the download.
    public var cancelToken: SessionDataTask.CancelToken? {
        let (own, linked) = state.withLock { ($0.cancelToken, $0.linked) }
        return own ?? linked?.cancelToken
    }

    /// The priority of this caller's download, from 0 (last) to 1 (first).
    ///
    /// It can be changed at any time, for example when an image scrolls out of sight. A download
    /// that waits for a connection has the highest priority of its callers. Until it is set, it is
    /// the priority of the load's options.
    public var priority: Float {
        get {
            let (own, linked) = state.withLock { ($0.priority, $0.linked) }
            return own ?? linked?.priority ?? TransferSettings.defaultPriority
        }
        set {
            state.change { $0.priority = newValue }
            passOnPriority()
        }
    }

    /// Passes the priority on; again if another thread has changed it meanwhile, so that the last
    /// change is not lost.
    private func passOnPriority() {
        while let priority = ownPriority {
            let (session, token, linked) = state.withLock {
                ($0.sessionTask, $0.cancelToken, $0.linked)
            }
            if let session, let token { session.prioritise(token, priority) }
            linked?.priority = priority
            if ownPriority == priority || priority.isNaN { return }
        }
    }

    /// The priority that was set or attached; nil before.
    var ownPriority: Float? { state.withLock { $0.priority } }

    /// Cancels the load for this caller, at any stage.
    ///
    /// The completion handler receives a cancellation error, even if a result already waits for its
    /// queue. Other callers of the same download continue; the last one to cancel stops it. No effect
    /// after the completion.
    public func cancel() {
        cancellation.cancel()
    }

    /// Whether a download or the work of a provider is attached.
    public var isInitialized: Bool {
        let (own, linked) = state.withLock {
            ($0.isProvider || ($0.sessionTask != nil && $0.cancelToken != nil), $0.linked)
        }
        return own || linked?.isInitialized == true
    }

    /// Whether the load goes on after its call: with a download or provider, or with a lookup on
    /// another thread, after which they may be attached.
    var goesOn: Bool { isInitialized || state.withLock { $0.looksUp } }

    /// Describes the download or the provider that a lookup on another thread may lead to, so that
    /// a cancel during the lookup has the same error as later.
    func attachLookup(for source: Source) {
        state.withLock { state in
            state.looksUp = true
            guard state.sessionTask == nil else { return }
            switch source {
            case .network(let resource):
                let request = URLRequest(url: resource.downloadURL)
                state.sessionTask = SessionDataTask(request: request)
                state.cancelToken = Self.lookupToken
            case .provider: state.isProvider = true
            }
        }
    }

    /// Removes the description: nothing follows the lookup.
    func endLookup() {
        state.withLock { state in
            guard state.looksUp else { return }
            state.isProvider = false
            guard state.cancelToken == Self.lookupToken else { return }
            (state.sessionTask, state.cancelToken) = (nil, nil)
        }
    }

    /// The token before there is a download, whose tokens begin with 1.
    private static let lookupToken = 0

    /// Links this handle to another one: cancelling this one cancels that one.
    public func link(to task: DownloadTask) {
        change { $0.linked = task }
        passOnPriority()
        cancellation.onCancel { task.cancel() }
    }

    /// Whether ``cancel()`` was called.
    package var isCancelled: Bool { cancellation.isCancelled }

    /// Calls `handler` on the thread of the cancellation; immediately if already cancelled.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        cancellation.onCancel(handler)
    }

    /// Attaches a download that this caller joined with a priority.
    func attach(
        _ sessionTask: SessionDataTask,
        token: SessionDataTask.CancelToken,
        priority: Float
    ) {
        change { state in
            state.sessionTask = sessionTask
            state.cancelToken = token
            state.priority = state.priority ?? priority
        }
        // Set between joining and now.
        if ownPriority != priority { passOnPriority() }
    }

    func attachProvider() {
        change { $0.isProvider = true }
    }

    /// Calls `handler` once, when a download or the work of a provider is attached.
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

extension DownloadTask {
    /// Starts work on the calling thread, up to its first suspension, and returns its task.
    ///
    /// The work can end before this function returns, because an operation on another thread may
    /// be faster than the caller. With `CallbackQueue.mainCurrentOrAsync` the completion is called
    /// after that, unless the value was available at once: callers must not depend on who is
    /// faster.
    ///
    /// - Parameters:
    ///   - queue: The queue on which the completion is called.
    ///   - completion: Called once; nil for none.
    ///   - progress: Reports nothing after the completion.
    ///   - isImmediate: Whether a value was available without an operation on another thread.
    ///   - work: Receives the task, to which it attaches downloads.
    /// - Returns: The task that cancels the work.
    static func running<Value: Sendable>(
        callingBackOn queue: CallbackQueue,
        _ completion: (@Sendable (Result<Value, KingfisherError>) -> Void)?,
        progress: ProgressReporter? = nil,
        isImmediate: @escaping @Sendable (Value) -> Bool = { _ in false },
        _ work: @escaping @Sendable (DownloadTask) async throws -> Value
    ) -> DownloadTask {
        let task = DownloadTask()
        let running = Task.immediate {
            let result: Result<Value, KingfisherError>
            var endsInCall = false
            let failsByCancel: Bool
            do {
                let value = try await work(task)
                endsInCall = isImmediate(value)
                result = .success(value)
                failsByCancel = false
            } catch {
                result = .failure(KingfisherError(downloading: error, task: task))
                failsByCancel = task.isCancelled
            }
            task.cancellation.finish()
            guard let completion else { return }
            let deliver = { @Sendable in
                // The caller may have cancelled the task while its result waited for the queue.
                let isLate = task.isCancelled && !failsByCancel
                completion(isLate ? .failure(.cancelled(task)) : result)
            }
            (endsInCall ? queue : queue.afterCaller).execute {
                if let progress { progress.end(on: queue, deliver) } else { deliver() }
            }
        }
        task.cancellation.onCancel { running.cancel() }
        return task
    }
}

/// Called on the main queue with the numbers of received and of expected bytes.
public typealias DownloadProgressBlock = ((_ receivedSize: Int64, _ totalSize: Int64) -> Void)

/// Calls a progress handler on the main queue, and never after the completion of its load.
///
/// `@unchecked`: the public closure type is not `Sendable`; the closure is called only on the main
/// queue.
final class ProgressReporter: @unchecked Sendable {
    private struct State {
        var isRunning = false
        var hasEnded = false
        /// The completion, if it has to wait for the handler.
        var next: (@Sendable () -> Void)?
    }

    private let block: (Int64, Int64) -> Void
    private let state = Mutex(State())

    init(_ block: @escaping (Int64, Int64) -> Void) {
        self.block = block
    }

    func report(_ received: Int64, _ total: Int64) {
        DispatchQueue.main.async { [self] in
            let isWanted = state.withLock { state in
                if !state.hasEnded { state.isRunning = true }
                return !state.hasEnded
            }
            guard isWanted else { return }
            block(received, total)
            let next = state.withLock { state in
                state.isRunning = false
                return state.next.take()
            }
            next?()
        }
    }

    /// Drops later reports, and runs `completion`: at once on this thread, or on `queue` after the
    /// handler if that is running on another thread.
    func end(on queue: CallbackQueue, _ completion: @escaping @Sendable () -> Void) {
        let waits = state.withLock { state in
            state.hasEnded = true
            // On the main queue the handler itself may have led here; it must not wait for itself.
            guard state.isRunning, !MainQueue.isCurrent else { return false }
            state.next = { queue.execute(completion) }
            return true
        }
        if !waits { completion() }
    }

    /// Drops later reports; returns when the handler is not running on another thread.
    func end() async {
        await withCheckedContinuation { continuation in
            end(on: .untouch) { continuation.resume() }
        }
    }
}

import Foundation
import Synchronization

/// Called after each item with the resources skipped, failed and completed so far.
public typealias PrefetcherProgressBlock =
    @Sendable (
        _ skippedResources: [any Resource],
        _ failedResources: [any Resource],
        _ completedResources: [any Resource]
    ) -> Void

/// Called after each item with the sources skipped, failed and completed so far.
public typealias PrefetcherSourceProgressBlock =
    @Sendable (
        _ skippedSources: [Source],
        _ failedSources: [Source],
        _ completedSources: [Source]
    ) -> Void

/// Called at the end with the resources skipped, failed and completed.
public typealias PrefetcherCompletionHandler =
    @Sendable (
        _ skippedResources: [any Resource],
        _ failedResources: [any Resource],
        _ completedResources: [any Resource]
    ) -> Void

/// Called at the end with the sources skipped, failed and completed.
public typealias PrefetcherSourceCompletionHandler =
    @Sendable (
        _ skippedSources: [Source],
        _ failedSources: [Source],
        _ completedSources: [Source]
    ) -> Void

// `@unchecked`: the class is public and not final; its state is guarded by a mutex.
/// Loads images into the cache before they are needed, a few at a time.
///
/// Cached images are skipped. Downloads have a lower priority than those of views, unless the
/// options set one; a view that loads the same image meanwhile shares the download and raises its
/// priority. With `.memoryCacheExpiration(.expired)` images are stored only on disk.
///
/// ```swift
/// import Foundation
/// import Kingfisher
///
/// let urls = ["a", "b"].compactMap { URL(string: "https://example.com/\($0).jpg") }
/// let result = await ImagePrefetcher(urls: urls).prefetch()
/// print(result.completed.count, "loaded,", result.failed.count, "failed")
/// ```
///
/// ``start()`` returns at once and calls the completion handler at the end; the prefetcher keeps
/// itself alive until then. Progress and completion handlers are called on the main queue.
public class ImagePrefetcher: CustomStringConvertible, @unchecked Sendable {
    private struct State {
        var maxConcurrentDownloads = 5
        var phase = Phase.idle
        var next = 0
        var lists = PrefetchResult()
        /// Callers of ``prefetch()``, which are resumed at the end.
        var waiters: [CheckedContinuation<PrefetchResult, Never>] = []
        var driver: Task<Void, Never>?
        /// Not nil while the prefetcher is paused.
        var pause: Gate?
        // Released at the end, because they often retain the owner of the prefetcher.
        var progress: PrefetcherSourceProgressBlock?
        var completion: PrefetcherSourceCompletionHandler?
    }

    private enum Phase {
        case idle, running, finished
        /// Stopped while it was running; the loads are still ending.
        case stopping
        /// Stopped and at its end, or never started.
        case stopped
    }

    private let state: Mutex<State>
    private let sources: [Source]
    private let loader: PrefetchLoader

    /// Makes a prefetcher that uses the given manager.
    package init(
        sources: [Source],
        options: KingfisherOptionsInfo?,
        manager: KingfisherManager,
        progress: PrefetcherSourceProgressBlock?,
        completion: PrefetcherSourceCompletionHandler?
    ) {
        self.sources = sources
        loader = PrefetchLoader(manager: manager, options: options)
        state = Mutex(State(progress: progress, completion: completion))
    }

    /// The address of the object.
    public var description: String {
        "\(Unmanaged.passUnretained(self).toOpaque())"
    }

    /// How many items are loaded at the same time; read by ``start()``.
    ///
    /// 5 by default.
    public var maxConcurrentDownloads: Int {
        get { state.withLock { $0.maxConcurrentDownloads } }
        set { state.withLock { $0.maxConcurrentDownloads = newValue } }
    }

    // MARK: Controlling

    /// Starts loading the items.
    ///
    /// Do not start a prefetcher that was stopped, or whose ``maxConcurrentDownloads`` is 0 or
    /// less: that traps in debug builds and completes immediately in release builds.
    public func start() {
        switch begin() {
        case .stopping, .stopped, .tooNarrow:
            assertionFailure(
                "start() was called on a stopped prefetcher, or with maxConcurrentDownloads below 1"
            )
            finish()
        case .begun, .running, .finished:
            break
        }
    }

    /// Loads the items and returns what became of them.
    ///
    /// A cancelled task stops the prefetcher; items that are not loaded then count as failed. A
    /// prefetcher that runs or has ended is not started again: this waits for its end. The last
    /// calls of handlers may still be queued on the main queue when this returns. The lists
    /// include file URLs and data providers.
    ///
    /// A prefetcher that was stopped loads nothing: its items count as failed. With
    /// ``maxConcurrentDownloads`` below 1 this traps in debug builds.
    @discardableResult
    public func prefetch() async -> PrefetchResult {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiters.append(continuation) }
                switch begin() {
                case .finished, .stopped:
                    finish()
                case .tooNarrow:
                    assertionFailure("prefetch() was called with maxConcurrentDownloads below 1")
                    finish()
                case .begun, .running, .stopping:
                    break
                }
            }
        } onCancel: {
            stop()
        }
    }

    private enum Start {
        case begun, running, finished, stopping, stopped, tooNarrow
    }

    private func begin() -> Start {
        let (start, width) = state.withLock { state -> (Start, Int) in
            switch state.phase {
            case .running: return (.running, 0)
            case .finished: return (.finished, 0)
            case .stopping: return (.stopping, 0)
            case .stopped: return (.stopped, 0)
            case .idle:
                guard state.maxConcurrentDownloads > 0 else { return (.tooNarrow, 0) }
                state.phase = .running
                return (.begun, min(state.maxConcurrentDownloads, sources.count))
            }
        }
        guard start == .begun else { return start }
        let driver = Task { await run(width: width) }
        let isStopped = state.withLock { state in
            state.driver = driver
            return state.phase == .stopping
        }
        // Stopped before the driver was recorded.
        if isStopped { driver.cancel() }
        return .begun
    }

    /// Cancels running loads.
    ///
    /// Items that are not loaded are reported as failed.
    public func stop() {
        let (driver, pause) = state.withLock { state -> (Task<Void, Never>?, Gate?) in
            switch state.phase {
            case .idle: state.phase = .stopped
            case .running: state.phase = .stopping
            case .stopping, .stopped, .finished: return (nil, nil)
            }
            defer { state.pause = nil }
            return (state.driver, state.pause)
        }
        driver?.cancel()
        pause?.open()
    }

    /// Starts no further items until ``resume()``; running loads continue.
    public func pause() {
        state.withLock { state in
            guard state.phase == .idle || state.phase == .running else { return }
            state.pause = state.pause ?? Gate()
        }
    }

    /// Continues after ``pause()``.
    public func resume() {
        let pause = state.withLock { state in
            defer { state.pause = nil }
            return state.pause
        }
        pause?.open()
    }

    // MARK: Loading

    /// Runs until all items have ended, `width` at the same time.
    private func run(width: Int) async {
        await withTaskGroup { group in
            for _ in 0..<width {
                group.addTask {
                    while let index = await self.takeNext() {
                        let source = self.sources[index]
                        let outcome = await self.loader.load(source)
                        self.record { $0.append(source, outcome) }
                    }
                }
            }
        }
        // Items remain only after a stop.
        let remaining = state.withLock { sources[$0.next...] }
        for source in remaining { record { $0.append(source, .failed) } }
        finish()
    }

    /// Returns the index of the next item and waits while paused; nil after the last item or a
    /// stop.
    private func takeNext() async -> Int? {
        while true {
            let (index, pause) = state.withLock { state -> (Int?, Gate?) in
                if let pause = state.pause { return (nil, pause) }
                guard state.phase == .running, state.next < sources.count else { return (nil, nil) }
                defer { state.next += 1 }
                return (state.next, nil)
            }
            guard let pause else { return index }
            await pause.wait()
        }
    }

    /// Records and reports the end of an item.
    private func record(_ change: (inout PrefetchResult) -> Void) {
        state.withLock { state in
            change(&state.lists)
            guard let progress = state.progress else { return }
            // Queued under the lock, so that reports arrive in order.
            DispatchQueue.main.async { [lists = state.lists] in
                progress(lists.skipped, lists.failed, lists.completed)
            }
        }
    }

    private func finish() {
        // The closures are released outside the lock: the deinit of an owner often calls `stop()`.
        let ended = state.withLock { state in
            switch state.phase {
            case .running: state.phase = .finished
            case .stopping: state.phase = .stopped
            case .idle, .stopped, .finished: break
            }
            let ended = state
            state.waiters = []
            state.driver = nil
            state.progress = nil
            state.completion = nil
            return ended
        }
        let result = ended.lists.failing(rest: sources)
        for waiter in ended.waiters { waiter.resume(returning: result) }
        guard let completion = ended.completion else { return }
        DispatchQueue.main.async {
            completion(result.skipped, result.failed, result.completed)
        }
    }
}

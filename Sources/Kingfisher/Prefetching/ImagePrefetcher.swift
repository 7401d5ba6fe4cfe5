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

/// Loads images into the cache before they are needed, a few at a time.
///
/// Cached images are skipped. Downloads have a lower priority than those of views, unless the
/// options set one; a view that loads the same image meanwhile shares the download and raises its
/// priority. With `.memoryCacheExpiration(.expired)` images are stored only on disk.
///
/// The prefetcher keeps itself alive from ``start()`` to its completion. Progress and completion
/// handlers are called on the main queue.
///
/// `@unchecked`: the class is public and not final; its state is guarded by a mutex.
public class ImagePrefetcher: CustomStringConvertible, @unchecked Sendable {
    private struct State {
        var maxConcurrentDownloads = 5
        var phase = Phase.idle
        var next = 0
        var lists = PrefetchedSources()
        var driver: Task<Void, Never>?
        /// Not nil while the prefetcher is paused.
        var pause: Gate?
        // Released at the end, because they often retain the owner of the prefetcher.
        var progress: PrefetcherSourceProgressBlock?
        var completion: PrefetcherSourceCompletionHandler?
    }

    private enum Phase {
        case idle, running, stopped, finished
    }

    private let state: Mutex<State>
    private let sources: [Source]
    private let loader: PrefetchLoader

    /// Makes a prefetcher that uses the given manager.
    package init(
        sources: [Source],
        options: KingfisherOptionsInfo?,
        manager: KingfisherManager,
        progress: PrefetcherSourceProgressBlock? = nil,
        completion: PrefetcherSourceCompletionHandler? = nil
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
        case .ignored:
            return
        case .refused:
            assertionFailure(
                "start() was called on a stopped prefetcher, or with maxConcurrentDownloads below 1"
            )
            finish()
        case .begun(let width):
            let driver = Task { await run(width: width) }
            let isStopped = state.withLock { state in
                state.driver = driver
                return state.phase == .stopped
            }
            // Stopped before the driver was recorded.
            if isStopped { driver.cancel() }
        }
    }

    private enum Start {
        case ignored
        case refused
        case begun(width: Int)
    }

    private func begin() -> Start {
        state.withLock { state in
            switch state.phase {
            case .running, .finished:
                return .ignored
            case .stopped:
                return .refused
            case .idle:
                guard state.maxConcurrentDownloads > 0 else { return .refused }
                state.phase = .running
                return .begun(width: min(state.maxConcurrentDownloads, sources.count))
            }
        }
    }

    /// Cancels running loads.
    ///
    /// Items that are not loaded are reported as failed.
    public func stop() {
        let (driver, pause) = state.withLock { state -> (Task<Void, Never>?, Gate?) in
            guard state.phase != .finished else { return (nil, nil) }
            state.phase = .stopped
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
    private func record(_ change: (inout PrefetchedSources) -> Void) {
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
            if state.phase == .running { state.phase = .finished }
            let ended = state
            state.driver = nil
            state.progress = nil
            state.completion = nil
            return ended
        }
        guard let completion = ended.completion else { return }
        DispatchQueue.main.async { [lists = ended.lists] in
            completion(lists.skipped, lists.failed, lists.completed)
        }
    }
}

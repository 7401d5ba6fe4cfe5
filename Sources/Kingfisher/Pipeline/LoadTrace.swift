import Foundation
import Synchronization

/// Reports the events of one load to observers, and measures its stages.
struct LoadTrace: Sendable {
    private let observers: LoadObservers
    private let request: LoadRequest
    /// The number of the load in its events; nil without observers.
    private let id: UInt64?
    private let start = ContinuousClock.now
    private(set) var timings = LoadTimings()

    init(_ request: LoadRequest, observers: LoadObservers) {
        self.observers = observers
        self.request = request
        id = observers.isActive ? observers.makeID() : nil
        emit(.started)
    }

    /// Whether the load has observers.
    var isObserved: Bool { id != nil }

    func emit(_ kind: @autoclosure () -> LoadEvent.Kind) {
        if let id { report(kind, id) }
    }

    /// Not inlined, because each event would take room in the suspended stages.
    @inline(never)
    private func report(_ kind: () -> LoadEvent.Kind, _ id: UInt64) {
        observers.emit(id, of: request, kind())
    }

    /// Runs a stage and adds its duration to that of earlier attempts.
    mutating func measure<Value>(
        _ stage: LoadEvent.Stage,
        _ body: (inout LoadTrace) async throws -> Value
    ) async rethrows -> Value {
        let began = ContinuousClock.now
        emit(.began(stage))
        defer {
            emit(.ended(stage))
            timings[stage] = (timings[stage] ?? .zero) + (.now - began)
        }
        return try await body(&self)
    }

    /// Records the answer of the shared storage.
    mutating func record(_ answer: SharedStorageAnswer, _ duration: Duration) {
        timings.sharedStorage = (timings.sharedStorage ?? .zero) + duration
        emit(.sharedStorage(answer, took: duration))
    }

    /// Ends a successful load and returns its timings.
    mutating func finish(_ type: CacheType) -> LoadTimings {
        emit(.succeeded(type))
        timings.total = .now - start
        return timings
    }

    /// Ends a failed load.
    func fail(_ error: KingfisherError) {
        emit(.failed(error))
        if !error.isCancellation {
            Log.debug(error.localizedDescription, key: request.originalSource.cacheKey)
        }
    }
}

extension LoadTimings {
    fileprivate subscript(stage: LoadEvent.Stage) -> Duration? {
        get {
            switch stage {
            case .lookup: lookup
            case .fetch: fetch
            case .process: process
            case .store: store
            }
        }
        set {
            switch stage {
            case .lookup: lookup = newValue
            case .fetch: fetch = newValue
            case .process: process = newValue
            case .store: store = newValue
            }
        }
    }
}

/// The observers of loads.
///
/// Without observers an event costs one atomic read.
final class LoadObservers: Sendable {
    typealias Handler = @Sendable (LoadEvent) -> Void

    private let isObserved = Atomic(false)
    private let handlers = Mutex<[UInt64: Handler]>([:])
    private let lastID = Atomic<UInt64>(0)
    private let start = ContinuousClock.now

    init() {}

    /// Whether there are observers.
    var isActive: Bool { isObserved.load(ordering: .relaxed) }

    func makeID() -> UInt64 { lastID.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Calls `handler` for every event until the observation ends.
    func add(_ handler: @escaping Handler) -> LoadObservation {
        let id = makeID()
        handlers.withLock { $0[id] = handler }
        isObserved.store(true, ordering: .relaxed)
        return LoadObservation { [weak self] in self?.remove(id) }
    }

    private func remove(_ id: UInt64) {
        let removed = handlers.withLock { handlers in
            let removed = handlers.removeValue(forKey: id)
            if handlers.isEmpty { isObserved.store(false, ordering: .relaxed) }
            return removed
        }
        // Released outside the lock, because the handler may hold another observation.
        withExtendedLifetime(removed) {}
    }

    func emit(_ id: UInt64, of request: LoadRequest, _ kind: LoadEvent.Kind) {
        let event = LoadEvent(
            load: id,
            key: request.originalSource.cacheKey,
            processor: request.identifier,
            time: ContinuousClock.now - start,
            kind: kind
        )
        // Called outside the lock, because a handler may add or remove observers.
        let handlers = handlers.withLock { Array($0.values) }
        for handler in handlers { handler(event) }
    }
}

/// An observation of loads; it ends when its last reference is released.
///
/// ```swift
/// let observation = manager.observeLoads { event in print(event) }
/// observation.cancel()
/// ```
public final class LoadObservation: Sendable {
    private let stop: @Sendable () -> Void

    init(stop: @escaping @Sendable () -> Void) {
        self.stop = stop
    }

    deinit { stop() }

    /// Ends the observation now.
    public func cancel() { stop() }
}

/// The callbacks of a running load; they do not affect the load.
struct LoadEvents: Sendable {
    /// Receives the numbers of received and expected bytes.
    var progress: ProgressReporter?

    /// Shows intermediate images of a progressive JPEG; nil if they are not shown.
    var partial: ProgressiveUpdates.Sink?

    /// Called with the task of each attempt after the first one; nil if the attempt has none.
    var taskUpdated: (@Sendable (DownloadTask?) -> Void)?
}

/// Passes the task of a new attempt to the caller, exactly once for each attempt.
struct TaskUpdate {
    private let tell: OnceCompletion<DownloadTask?>

    /// Passes `task` on as soon as there is something to cancel.
    init(of task: DownloadTask, to events: LoadEvents) {
        let tell = OnceCompletion<DownloadTask?> { events.taskUpdated?($0) }
        self.tell = tell
        task.onInitialized { [weak task] in tell(task) }
    }

    /// Reports that the attempt had no task, unless one was passed on.
    func attemptEnded() {
        tell(nil)
    }
}

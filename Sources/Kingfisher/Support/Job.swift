import Synchronization

/// Work that several callers wait for.
///
/// Cancelling a caller's task releases that caller immediately, even while the work computes; the
/// last caller to leave cancels the work. The result is kept as long as the job.
final class Job<Value: Sendable>: Sendable {
    typealias Work = @Sendable (Job) async throws -> Value
    private typealias Waiter = CheckedContinuation<Value, any Error>

    /// All callers have left this job: the work is cancelled, and cannot be joined.
    struct Abandoned: Error {}

    private struct State {
        var waiters: [Int: (waiter: Waiter, priority: Float)] = [:]
        var lastID = 0
        var outcome: Result<Value, any Error>?
        var task: Task<Void, Never>?
        /// Nil once started, so that a finished job retains only its result.
        var work: Work?
        /// Whether all callers have left; the work may still run, but is cancelled.
        var isAbandoned = false

        /// The highest priority of the callers; nil without callers.
        var highest: Float? { waiters.values.lazy.map(\.priority).max() }
    }

    /// The priority of the work: the highest of its callers.
    let urgency: Urgency
    /// The place of the work on the threads of a pool; nil for work that waits more than it
    /// computes.
    let lane: Lane?
    private let state: Mutex<State>

    /// Makes a job; it runs after ``start()`` or ``runHere()``.
    ///
    /// - Parameters:
    ///   - priority: The priority of the first caller; with a lane, its own is used.
    ///   - lane: The place of the work on the threads of a pool.
    ///   - work: Receives the job.
    init(priority: Float = 0.5, in lane: Lane? = nil, _ work: @escaping Work) {
        urgency = lane?.urgency ?? Urgency(priority)
        self.lane = lane
        state = Mutex(State(work: work))
    }

    /// Whether a caller can still join: the job waits, runs or has succeeded.
    var isJoinable: Bool {
        state.withLock { state in
            switch state.outcome {
            case nil: !state.isAbandoned
            case .success: true
            case .failure: false
            }
        }
    }

    /// Whether the work has not ended, and callers wait for it.
    var isRunning: Bool { state.withLock { $0.outcome == nil && !$0.isAbandoned } }

    /// Starts the work; later calls have no effect.
    func start() {
        guard let work = state.withLock({ $0.work.take() }) else { return }
        Counters.jobs.add()
        if let lane { urgency.follow { lane.move() } }
        let task = Task(executorPreference: lane) { [self] in
            let outcome = await outcome(of: work)
            lane?.end()
            finish(outcome)
        }
        let isOver = state.withLock { state in
            if state.outcome == nil { state.task = task }
            return state.isAbandoned
        }
        // All callers left before the task was recorded.
        if isOver { task.cancel() }
    }

    /// Runs the work in the current task, unless it has started.
    ///
    /// If that task is cancelled, the callers may get `CancellationError` and have to try again.
    func runHere() async {
        guard let work = state.withLock({ $0.work.take() }) else { return }
        finish(await outcome(of: work))
    }

    private func outcome(of work: Work) async -> Result<Value, any Error> {
        do {
            return .success(try await work(self))
        } catch {
            return .failure(error)
        }
    }

    /// Waits for the result.
    ///
    /// - Parameters:
    ///   - caller: The urgency of this caller; a later change also changes that of the work. By
    ///     default it is the present one of the work.
    ///   - staysCancelled: Whether the caller waits even if its task is cancelled.
    /// - Returns: The result.
    /// - Throws: The error of the work, `CancellationError` if this caller's task is cancelled, or
    ///   ``Abandoned``.
    func value(
        urgency caller: Urgency? = nil,
        staysCancelled: Bool = false
    ) async throws -> Value {
        if WorkPool.isOccupied { lane?.free() }
        let caller = caller ?? Urgency(urgency.priority)
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        defer { caller.follow(nil) }
        guard !staysCancelled else {
            return try await withCheckedThrowingContinuation {
                enter(id, caller, $0, staysCancelled)
            }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enter(id, caller, continuation, staysCancelled)
                // A cancellation before the waiter was listed had no effect; handle it here.
                if Task.isCancelled { leave(id) }
            }
        } onCancel: {
            leave(id)
        }
    }

    private func enter(
        _ id: Int,
        _ caller: Urgency,
        _ continuation: Waiter,
        _ staysCancelled: Bool
    ) {
        let outcome = state.withLock { state -> Result<Value, any Error>? in
            if let outcome = state.outcome { return outcome }
            if state.isAbandoned { return .failure(Abandoned()) }
            state.waiters[id] = (continuation, caller.priority)
            return nil
        }
        if let outcome {
            // A caller that was cancelled before it could wait is not given a result.
            let isCancelled = !staysCancelled && Task.isCancelled
            return continuation.resume(
                with: isCancelled ? .failure(CancellationError()) : outcome
            )
        }
        // Called by the caller's urgency alone, and until ``value(urgency:staysCancelled:)`` returns.
        caller.follow { [self, unowned caller] in follow(caller, id) }
    }

    /// Updates the urgency of the work after that of a caller has changed.
    private func follow(_ caller: Urgency, _ id: Int) {
        urgency.change {
            state.withLock { state in
                guard state.waiters[id] != nil else { return nil }
                state.waiters[id]?.priority = caller.priority
                return state.highest
            }
        }
    }

    private func finish(_ outcome: Result<Value, any Error>) {
        urgency.follow(nil)
        let waiters = state.withLock { state in
            defer { state.waiters = [:] }
            state.outcome = outcome
            state.task = nil
            return state.waiters
        }
        for (_, entry) in waiters.sorted(by: { $0.key < $1.key }) {
            Counters.resumptions.add()
            entry.waiter.resume(with: outcome)
        }
    }

    private func leave(_ id: Int) {
        let (waiter, abandoned) = state.withLock { state -> (Waiter?, Task<Void, Never>?) in
            guard let waiter = state.waiters.removeValue(forKey: id)?.waiter else {
                return (nil, nil)
            }
            guard state.waiters.isEmpty else { return (waiter, nil) }
            state.isAbandoned = true
            return (waiter, state.task)
        }
        abandoned?.cancel()
        guard let waiter else { return }
        urgency.change { state.withLock { $0.highest } }
        waiter.resume(throwing: CancellationError())
    }
}

extension Job {
    /// Waits for the result of a shared job.
    ///
    /// All callers of a job may leave before this one waits for it. Then another job is found.
    ///
    /// - Parameters:
    ///   - urgency: As for ``value(urgency:staysCancelled:)``.
    ///   - staysCancelled: As for ``value(urgency:staysCancelled:)``.
    ///   - worksHere: Whether the first caller works in its own task. If that task is cancelled, the
    ///     others find another job, too.
    ///   - find: Finds a job, or makes and starts one.
    /// - Returns: The result.
    /// - Throws: The error of the work, or `CancellationError` if this caller's task is cancelled.
    static func value(
        urgency: Urgency? = nil,
        staysCancelled: Bool = false,
        worksHere: Bool = false,
        of find: () -> Job
    ) async throws -> Value {
        while true {
            let job = find()
            if worksHere { await job.runHere() }
            do {
                return try await job.value(urgency: urgency, staysCancelled: staysCancelled)
            } catch is Abandoned {
            } catch is CancellationError where worksHere && !Task.isCancelled {}
        }
    }

    /// Runs the work of a single caller, which waits for the result.
    ///
    /// - Throws: The error of the work, or `CancellationError` as soon as the caller's task is
    ///   cancelled.
    static func run(
        priority: Float = 0.5,
        in lane: Lane? = nil,
        _ work: @escaping Work
    ) async throws -> Value {
        try Task.checkCancellation()
        let job = Job(priority: priority, in: lane, work)
        job.start()
        return try await job.value()
    }
}

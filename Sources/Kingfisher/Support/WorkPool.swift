import Dispatch
import Synchronization

/// A bounded number of threads for work that blocks or computes, most urgent first.
///
/// The cooperative pool of Swift concurrency must never block and does not know these priorities,
/// so heavy work runs here: as a closure, or as a task in a ``Lane``. Of equally urgent work, the
/// owners of lanes take turns, and the work of one owner runs in order of arrival.
///
/// Tasks that have begun run before new work, so that what they hold in memory is released before
/// more is taken. At most twice as many tasks have begun as there are threads.
final class WorkPool: Sendable {
    typealias Work = @Sendable () -> Void

    /// Whether the current task belongs to code of a user that occupies a thread of a pool.
    ///
    /// Such code may wait for a load, whose work then must not wait for that thread.
    @TaskLocal static var isOccupied = false

    /// Of that many pieces of new work one is taken out of turn, so that none waits forever.
    ///
    /// Images on the screen are three percent later at most.
    static let patience: UInt64 = 32

    private struct State: Sendable {
        var begun = UrgentQueue<Work>()
        var closures = UrgentQueue<Work>(patience: WorkPool.patience)
        var lanes = UrgentQueue<(Work, Lane)>(patience: WorkPool.patience)
        /// The lanes that have begun, and neither ended nor wait for another process or queue; and
        /// the places that they have passed on.
        var beginnings = 0
        var running = 0
        /// The threads that wait for a disk, and are not counted as running.
        var blocked = 0

        mutating func take(upTo maxBeginnings: Int) -> Work? {
            if let work = begun.next() ?? closures.next() { return work }
            guard beginnings < maxBeginnings, let (work, lane) = lanes.next() else { return nil }
            if lane.begin() { beginnings += 1 }
            return work
        }
    }

    private let state = Mutex(State())
    private let width: Int
    private let readers: Int
    /// The class of its threads, which it shares with other queues of that class.
    let threads: DispatchQoS
    private let queue: DispatchQueue
    /// For steps that wait for nothing; not the threads of the pool, which may all compute.
    private static let free = DispatchQueue.global(qos: .userInitiated)

    /// Makes a pool.
    ///
    /// - Parameters:
    ///   - label: The name of its threads, for debuggers.
    ///   - width: How many threads run at the same time, at least 1.
    ///   - readers: How many more run while others are in ``blocking(_:)``.
    ///   - computes: Whether its threads may be busy for as long as there is work. Queues of one
    ///     class share as many threads as there are cores. In the class of tasks and disks, the end
    ///     of every load would wait there until the whole backlog is done.
    init(label: String, width: Int, readers: Int = 4, computes: Bool = false) {
        self.width = max(1, width)
        self.readers = readers
        threads = computes ? .utility : .userInitiated
        queue = DispatchQueue(label: label, qos: threads, attributes: .concurrent)
    }

    // MARK: Closures

    /// Runs `body` on a thread of the pool and returns its result.
    ///
    /// - Parameters:
    ///   - urgency: Determines the place in the queue; may change while the job waits.
    ///   - body: The work.
    /// - Returns: The result of `body`.
    /// - Throws: `CancellationError` if cancelled before `body` starts, otherwise the error of
    ///   `body`.
    func run<Result: Sendable>(
        urgency: Urgency = Urgency(),
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let cancelled = CancellationLatch()
        defer { urgency.follow(nil) }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let job = submit(priority: urgency.priority) {
                    Counters.resumptions.add()
                    if cancelled.isCancelled {
                        continuation.resume(throwing: CancellationError())
                    } else {
                        continuation.resume(with: Swift.Result { try body() })
                    }
                }
                urgency.follow { [weak self, unowned urgency] in self?.move(job, urgency) }
            }
        } onCancel: {
            cancelled.cancel()
        }
    }

    /// Queues `body` and returns immediately.
    ///
    /// - Returns: The job's number.
    @discardableResult
    func submit(priority: Float = 0.5, _ body: @escaping Work) -> UInt64 {
        Counters.submissions.add()
        let job = state.withLock { $0.closures.insert(body, priority: priority) }
        startThread()
        return job
    }

    /// Moves waiting work to the place of its urgency; no effect on running or finished work.
    private func move(_ job: UInt64, _ urgency: Urgency) {
        state.withLock { $0.closures.move(job, to: urgency.priority) }
    }

    /// Runs `body`, which waits for a disk, on a thread of this pool, while another thread computes.
    func blocking<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let yields = state.withLock { state in
            guard state.blocked < readers else { return false }
            state.blocked += 1
            state.running -= 1
            return true
        }
        guard yields else { return try body() }
        startThread()
        defer {
            state.withLock { state in
                state.blocked -= 1
                state.running += 1
            }
        }
        return try body()
    }

    /// Runs `body`, which waits for a disk, as a closure; see ``run(urgency:_:)``.
    func reading<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await run { [self] in try blocking(body) }
    }

    // MARK: Lanes

    fileprivate func submit(_ step: @escaping Work, of lane: Lane) {
        Counters.submissions.add()
        let isQueued = state.withLock { state in
            lane.place { place in
                switch place {
                case .new(let priority, _):
                    let number = state.lanes.insert(
                        (step, lane),
                        priority: priority,
                        owner: lane.owner
                    )
                    place = .new(priority, number)
                case .begun(let priority, _):
                    _ = state.begun.insert(step, priority: priority)
                case .free: return false
                }
                return true
            }
        }
        if isQueued { startThread() } else { Self.free.async(execute: step) }
    }

    fileprivate func move(_ lane: Lane) {
        state.withLock { state in
            let priority = lane.urgency.priority
            lane.place { place in
                guard case .new(let former, let number) = place, former != priority else { return }
                place = .new(priority, number)
                if let number { state.lanes.move(number, to: priority) }
            }
        }
    }

    /// Runs the work of a lane without waiting for other work.
    fileprivate func free(_ lane: Lane) {
        let waiting = state.withLock { state in
            lane.place { place -> Work? in
                defer { place = .free }
                switch place {
                case .new(_, let number): return number.flatMap { state.lanes.remove($0)?.0 }
                case .begun(_, let isCounted): if isCounted { state.beginnings -= 1 }
                case .free: break
                }
                return nil
            }
        }
        if let waiting { Self.free.async(execute: waiting) }
    }

    /// Counts a lane as begun, or no longer.
    ///
    /// - Returns: Whether this changed anything.
    @discardableResult
    fileprivate func count(_ lane: Lane, _ isCounted: Bool) -> Bool {
        let hasChanged = state.withLock { state in
            lane.place { place in
                guard case .begun(let priority, !isCounted) = place else { return false }
                place = .begun(priority, isCounted)
                state.beginnings += isCounted ? 1 : -1
                return true
            }
        }
        if hasChanged, !isCounted { startThread() }
        return hasChanged
    }

    /// Lets another lane begin in a place that one has passed on.
    fileprivate func release() {
        state.withLock { $0.beginnings -= 1 }
        startThread()
    }

    // MARK: Threads

    private func startThread() {
        let work = state.withLock { state -> Work? in
            guard state.running < width, let work = state.take(upTo: 2 * width) else { return nil }
            state.running += 1
            return work
        }
        guard let work else { return }
        queue.async {
            work()
            while let work = self.next() { work() }
        }
    }

    private func next() -> Work? {
        state.withLock { state in
            if state.running <= width, let work = state.take(upTo: 2 * width) { return work }
            state.running -= 1
            return nil
        }
    }
}

/// The place of one task in the queue of a ``WorkPool``; the task runs on the threads of the pool.
final class Lane: TaskExecutor {
    fileprivate enum Place: Sendable {
        /// Its first step waits, with this number, or was not submitted yet.
        case new(Float, UInt64?)
        /// It has begun, and may be counted.
        case begun(Float, Bool)
        /// It waits for nothing, because the work of a thread may wait for it.
        case free
    }

    let pool: WorkPool
    /// The highest priority of the callers that wait for the task.
    let urgency: Urgency
    /// Shares the threads with other owners by turns; nil for the owner of all others.
    fileprivate let owner: ObjectIdentifier?
    private let state: Mutex<Place>

    /// Makes a lane.
    ///
    /// - Parameters:
    ///   - pool: The threads.
    ///   - priority: 0 (last) … 1 (first).
    ///   - owner: The object whose work it does; owners take turns.
    init(in pool: WorkPool, priority: Float, for owner: AnyObject? = nil) {
        self.pool = pool
        self.owner = owner.map { ObjectIdentifier($0) }
        urgency = Urgency(priority)
        state = Mutex(WorkPool.isOccupied ? .free : .new(priority, nil))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit({ job.runSynchronously(on: self.asUnownedTaskExecutor()) }, of: self)
    }

    /// Moves work that has not begun to the place of its urgency.
    func move() { pool.move(self) }

    /// Runs the work without waiting for other work.
    func free() { pool.free(self) }

    /// Makes a task that was not submitted yet part of work that has begun.
    func advance() {
        let priority: Float? = place {
            if case .new(let priority, _) = $0 { priority } else { nil }
        }
        guard let priority else { return }
        place { $0 = .begun(priority, false) }
        pool.count(self, true)
    }

    /// Ends the lane: another one may begin.
    func end() { pool.count(self, false) }

    /// Waits for another process or queue, while other lanes begin.
    func leaving<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let wasCounted = pool.count(self, false)
        defer { if wasCounted { pool.count(self, true) } }
        return try await body()
    }

    /// Passes the place of the lane on to an object that lives longer than the task.
    ///
    /// - Returns: Lets another lane begin; nil if the lane has no place.
    func passOn() -> (@Sendable () -> Void)? {
        let hadPlace = place { place in
            guard case .begun(let priority, true) = place else { return false }
            place = .begun(priority, false)
            return true
        }
        guard hadPlace else { return nil }
        return { [pool] in pool.release() }
    }

    fileprivate func place<Result>(_ body: (inout Place) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Marks the lane as begun; false if it is not counted.
    fileprivate func begin() -> Bool {
        state.withLock { place in
            guard case .new(let priority, _) = place else { return false }
            place = .begun(priority, true)
            return true
        }
    }
}

internal import CIsolationShim
import Foundation
import Synchronization

/// Worker processes that answer one request each at a time, most urgent first.
///
/// Each worker has a thread of this process, its lane, that starts it, talks to it and replaces it:
/// a worker ends with the thread that has started it, and so with the program.
final class WorkerPool: Sendable {
    struct Settings: Sendable {
        var width = max(1, ProcessInfo.processInfo.activeProcessorCount)
        /// How many requests a worker answers before it is replaced.
        var requestsPerWorker = 1000
        var limits = WorkerLimits(memory: 2 << 30, time: .seconds(30))
    }

    private let lanes: WorkerLanes
    private let hasStarted = Atomic(false)

    /// Makes a pool; no worker is started yet.
    init(
        program: WorkerProgram = .own,
        settings: Settings = Settings(),
        crashes: CrashMemory = CrashMemory()
    ) {
        lanes = WorkerLanes(program: program, settings: settings, crashes: crashes)
    }

    deinit { lanes.stop() }

    /// Starts the workers ahead of the first request.
    func start() {
        guard !hasStarted.exchange(true, ordering: .relaxed) else { return }
        lanes.start()
    }

    /// Ends all workers and waits until they are gone; what waits for them fails.
    func stop() {
        lanes.stop()
        lanes.join()
    }

    /// How many workers have ended before their time, or were not to be started.
    var failureCount: Int { lanes.failureCount }

    /// The processes that are ready or at work.
    var workers: [pid_t] { lanes.workers }

    /// The answer to a request.
    ///
    /// - Throws: ``WorkerFailure``; `CancellationError`, within 50 ms of the cancel.
    func answer(
        to request: WorkerRequest,
        urgency: Urgency = Urgency()
    ) async throws -> WorkerMessage {
        try Task.checkCancellation()
        start()
        let cancelled = CancellationLatch()
        defer { urgency.follow(nil) }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let job = WorkerJob(request) { continuation.resume(with: $0) }
                    let number = lanes.submit(job, priority: urgency.priority)
                    urgency.follow { [lanes] in lanes.raise(number, to: $0) }
                    cancelled.onCancel { [lanes] in lanes.cancel(job, number) }
                }
            } onCancel: {
                cancelled.cancel()
            }
        } catch WorkerFailure.cancelled {
            throw CancellationError()
        }
    }

    /// The answer to a request, for callers who may block.
    ///
    /// Not for the cooperative pool. Bounded by the limit on time, for this request and those
    /// before it.
    func waitForAnswer(to request: WorkerRequest) throws(WorkerFailure) -> WorkerMessage {
        start()
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<WorkerJob.Outcome>(.failure(.stopped))
        let job = WorkerJob(request) { result in
            outcome.withLock { $0 = result }
            done.signal()
        }
        _ = lanes.submit(job, priority: 0.5)
        done.wait()
        return try outcome.withLock { $0 }.get()
    }
}

/// The queue of a pool and its lanes; lives until the last lane has ended.
private final class WorkerLanes: Sendable {
    private struct State {
        var waiting = UrgentQueue<WorkerJob>()
        var running: [Int: WorkerJob] = [:]
        var workers: [Int: pid_t] = [:]
        var isStopped = false
        var laneCount = 0
    }

    private let state = Mutex(State())
    private let failures = Atomic(0)
    private let ended = DispatchSemaphore(value: 0)
    /// Counts the requests that wait, for lanes that also wait for their worker's end.
    private let counter = kf_counter_create()
    private let program: WorkerProgram
    private let settings: WorkerPool.Settings
    private let crashes: CrashMemory

    init(program: WorkerProgram, settings: WorkerPool.Settings, crashes: CrashMemory) {
        self.program = program
        self.settings = settings
        self.crashes = crashes
    }

    deinit { if counter >= 0 { close(counter) } }

    var failureCount: Int { failures.load(ordering: .relaxed) }

    var workers: [pid_t] { state.withLock { $0.workers.values.sorted() } }

    func start() {
        let width = max(1, settings.width)
        state.withLock { $0.laneCount = width }
        for lane in 0..<width {
            let thread = Thread { [self] in
                run(lane)
                ended.signal()
            }
            thread.name = "kf-lane-\(lane)"
            thread.start()
        }
    }

    func stop() {
        let (waiting, running) = state.withLock { state -> ([WorkerJob], [WorkerJob]) in
            state.isStopped = true
            var waiting: [WorkerJob] = []
            while let job = state.waiting.next() { waiting.append(job) }
            return (waiting, Array(state.running.values))
        }
        kf_counter_raise(counter, UInt64(max(1, settings.width)))
        for job in waiting { job.finish(.failure(.stopped)) }
        for job in running { job.abandon() }
    }

    func join() {
        let count = state.withLock { state in
            defer { state.laneCount = 0 }
            return state.laneCount
        }
        for _ in 0..<count { ended.wait() }
    }

    func submit(_ job: WorkerJob, priority: Float) -> UInt64 {
        let number = state.withLock { state in
            state.isStopped ? nil : state.waiting.insert(job, priority: priority)
        }
        guard let number, counter >= 0 else {
            job.finish(.failure(.stopped))
            return 0
        }
        kf_counter_raise(counter, 1)
        return number
    }

    func raise(_ number: UInt64, to priority: Float) {
        state.withLock { $0.waiting.raise(number, to: priority) }
    }

    func cancel(_ job: WorkerJob, _ number: UInt64) {
        job.cancel()
        let waiting = state.withLock { $0.waiting.remove(number) }
        waiting?.finish(.failure(.cancelled))
    }

    // MARK: A lane

    private func run(_ lane: Int) {
        var worker = startedWorker(lane)
        while !state.withLock({ $0.isStopped }) {
            guard kf_counter_wait(counter, worker?.socket.descriptor ?? -1) == 1 else {
                // It ended without a request. The next request starts another: whatever ends
                // workers that do nothing may end all of them.
                lose(&worker, lane)
                continue
            }
            guard kf_counter_take(counter) == 1, let job = next(lane) else { continue }
            job.finish(outcome(of: job, &worker, lane))
            state.withLock { $0.running[lane] = nil }
            if worker == nil { worker = startedWorker(lane) }
        }
        lose(&worker, lane)
    }

    private func next(_ lane: Int) -> WorkerJob? {
        state.withLock { state in
            let job = state.waiting.next()
            state.running[lane] = job
            return job
        }
    }

    private func outcome(
        of job: WorkerJob,
        _ worker: inout WorkerProcess?,
        _ lane: Int
    ) -> WorkerJob.Outcome {
        if let failure = crashes.failure(of: job.request.file) { return .failure(failure) }
        do throws(WorkerFailure) {
            return .success(try answer(to: job, &worker, lane))
        } catch {
            if state.withLock({ $0.isStopped }) { return .failure(.stopped) }
            if job.isCancelled { return .failure(.cancelled) }
            if error.blamesRequest { crashes.note(error, of: job.request.file) }
            return .failure(error)
        }
    }

    private func answer(
        to job: WorkerJob,
        _ worker: inout WorkerProcess?,
        _ lane: Int
    ) throws(WorkerFailure) -> WorkerMessage {
        let message = try job.request.framed()
        do throws(WorkerFailure) {
            return try attempt(message, job, &worker, lane)
        } catch {
            // Retry once with a new worker: the state of the old one may be the cause, not the file.
            guard error.isWorthRetrying, !job.isCancelled else { throw error }
            return try attempt(message, job, &worker, lane)
        }
    }

    private func attempt(
        _ message: WorkerMessage,
        _ job: WorkerJob,
        _ worker: inout WorkerProcess?,
        _ lane: Int
    ) throws(WorkerFailure) -> WorkerMessage {
        while true {
            let current: WorkerProcess
            if let worker { current = worker } else { current = try start(lane) }
            worker = current
            guard job.begin(with: current) else { throw .cancelled }
            defer { job.pause() }
            do throws(WorkerFailure) {
                guard
                    case .message(let answer) = try current.answer(
                        to: message,
                        while: { !job.isCancelled }
                    )
                else {
                    lose(&worker, lane)
                    continue
                }
                if isWorn(current) { replace(&worker, lane) }
                return answer
            } catch {
                if error != .requestTooLarge { lose(&worker, lane) }
                throw error
            }
        }
    }

    // MARK: Its worker

    private func isWorn(_ worker: WorkerProcess) -> Bool {
        worker.requestCount >= settings.requestsPerWorker || worker.busyTime > settings.limits.time
    }

    private func start(_ lane: Int) throws(WorkerFailure) -> WorkerProcess {
        do throws(WorkerFailure) {
            let worker = try WorkerProcess(program, limits: settings.limits)
            try worker.awaitReady()
            state.withLock { $0.workers[lane] = worker.pid }
            return worker
        } catch {
            failures.wrappingAdd(1, ordering: .relaxed)
            throw error
        }
    }

    /// A worker ahead of its first request; a failed start is repeated with that
    /// request, which then reports the reason.
    private func startedWorker(_ lane: Int) -> WorkerProcess? {
        state.withLock { $0.isStopped } ? nil : try? start(lane)
    }

    private func lose(_ worker: inout WorkerProcess?, _ lane: Int) {
        guard let old = worker else { return }
        if !state.withLock({ $0.isStopped }) { failures.wrappingAdd(1, ordering: .relaxed) }
        replace(&worker, lane)
        old.end()
    }

    private func replace(_ worker: inout WorkerProcess?, _ lane: Int) {
        worker = nil
        state.withLock { $0.workers[lane] = nil }
    }
}

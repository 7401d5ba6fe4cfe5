import Foundation
import Synchronization

/// The threads of a pool, each with a worker; lives until the last of them has ended.
final class WorkerLanes: Sendable {
    private struct State {
        var workers: [Int: pid_t] = [:]
        /// The lanes without a thread.
        var missing: [Int]
        /// Those of the settings, and what any request has needed so far: what new workers prepare.
        var preparations: WorkerPreparations
        var hasJoined = false
    }

    let queue: WorkerQueue

    private let state: Mutex<State>
    private let failures = Atomic(0)
    private let ended = DispatchSemaphore(value: 0)
    private let program: WorkerProgram
    private let settings: WorkerPool.Settings
    private let crashes: CrashMemory
    private let threads: ThreadStarter

    init(
        _ queue: WorkerQueue,
        _ program: WorkerProgram,
        _ settings: WorkerPool.Settings,
        _ crashes: CrashMemory,
        _ threads: ThreadStarter
    ) {
        self.queue = queue
        self.threads = threads
        // The last is started first.
        let missing = Array((0..<queue.laneCount).reversed())
        state = Mutex(State(missing: missing, preparations: settings.preparations))
        self.program = program
        self.settings = settings
        self.crashes = crashes
    }

    var failureCount: Int { failures.load(ordering: .relaxed) }

    var workers: [pid_t] { state.withLock { $0.workers.values.sorted() } }

    /// Starts the threads that do not run yet, at first all of them.
    ///
    /// - Throws: ``WorkerFailure/cannotStart(_:)`` if not a single one runs; otherwise those that
    ///   run serve all requests.
    func start() throws(WorkerFailure) {
        try state.withLock { state throws(WorkerFailure) in
            guard !state.hasJoined else { return }
            while let lane = state.missing.last {
                do throws(ThreadRefused) {
                    try threads("kf-lane-\(lane)") { [self] in
                        run(lane)
                        ended.signal()
                    }
                } catch {
                    guard state.missing.count < queue.laneCount else {
                        throw .cannotStart("\(error)")
                    }
                    return
                }
                state.missing.removeLast()
            }
        }
    }

    func stop() { queue.stop() }

    func join() {
        let count = state.withLock { state in
            defer { state.hasJoined = true }
            return state.hasJoined ? 0 : queue.laneCount - state.missing.count
        }
        for _ in 0..<count { ended.wait() }
    }

    // MARK: A lane

    private func run(_ lane: Int) {
        var worker: WorkerProcess?
        while true {
            switch queue.next(for: lane, orEndOf: worker?.socket.descriptor, rest: settings.rest) {
            case .job(let job):
                job.finish(outcome(of: job, &worker, lane))
                queue.finish(lane)
            case .workerEnded:
                // The next request starts another: whatever ends workers that do nothing may end
                // all of them.
                lose(&worker, lane)
            case .rested:
                release(&worker, lane)
            case .stopped:
                return lose(&worker, lane)
            }
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
            if queue.isStopped { return .failure(.stopped) }
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
        do throws(WorkerFailure) {
            return try attempt(job, &worker, lane)
        } catch {
            // Retry once with a new worker: the state of the old one may be the cause, not the file.
            guard error.isWorthRetrying, !job.isCancelled else { throw error }
            return try attempt(job, &worker, lane)
        }
    }

    private func attempt(
        _ job: WorkerJob,
        _ worker: inout WorkerProcess?,
        _ lane: Int
    ) throws(WorkerFailure) -> WorkerMessage {
        let needs = job.request.needs
        if let old = worker, !old.preparations.isSuperset(of: needs) { release(&worker, lane) }
        state.withLock { $0.preparations.formUnion(needs) }
        while true {
            let current: WorkerProcess
            if let worker { current = worker } else { current = try start(lane) }
            worker = current
            guard job.begin(with: current) else { throw .cancelled }
            defer { job.pause() }
            do throws(WorkerFailure) {
                guard
                    case .message(let answer) = try current.answer(
                        to: job.request,
                        while: { !job.isCancelled }
                    )
                else {
                    lose(&worker, lane)
                    continue
                }
                if isWorn(current) { release(&worker, lane) }
                return answer
            } catch {
                if current.hasEnded { lose(&worker, lane) }
                throw error
            }
        }
    }

    // MARK: Its worker

    private func isWorn(_ worker: WorkerProcess) -> Bool {
        worker.requestCount >= settings.requestsPerWorker || worker.busyTime > settings.limits.time
    }

    /// Starts a worker; tries again while the system has no process left, since others end.
    private func start(_ lane: Int) throws(WorkerFailure) -> WorkerProcess {
        for pause in settings.startPauses {
            do throws(WorkerFailure) {
                return try startOnce(lane)
            } catch {
                guard case .noProcess = error, !queue.isStopped else { throw error }
                SystemTime.pause(pause)
            }
        }
        return try startOnce(lane)
    }

    private func startOnce(_ lane: Int) throws(WorkerFailure) -> WorkerProcess {
        do throws(WorkerFailure) {
            let worker = try WorkerProcess(
                program,
                limits: settings.limits,
                preparing: state.withLock { $0.preparations }
            )
            try worker.awaitReady()
            state.withLock { $0.workers[lane] = worker.pid }
            return worker
        } catch {
            failures.wrappingAdd(1, ordering: .relaxed)
            throw error
        }
    }

    private func lose(_ worker: inout WorkerProcess?, _ lane: Int) {
        guard let old = worker else { return }
        if !queue.isStopped { failures.wrappingAdd(1, ordering: .relaxed) }
        release(&worker, lane)
        old.end()
    }

    private func release(_ worker: inout WorkerProcess?, _ lane: Int) {
        worker = nil
        state.withLock { $0.workers[lane] = nil }
    }
}

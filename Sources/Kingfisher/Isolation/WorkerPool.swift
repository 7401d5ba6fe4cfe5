import Foundation
import Synchronization

/// Worker processes that answer one request each at a time, most urgent first.
///
/// Each worker has a thread of this process, its lane, that starts it with a request, talks to it,
/// and ends it when it has had nothing to do: a worker ends with the thread that has started it, and
/// so with the program.
final class WorkerPool: Sendable {
    struct Settings: Sendable {
        var width = max(1, ProcessInfo.processInfo.activeProcessorCount)
        /// How many requests a worker answers before it is replaced.
        var requestsPerWorker = 1000
        var limits = WorkerLimits(memory: 2 << 30, time: .seconds(30))
        /// What all workers prepare.
        var preparations: WorkerPreparations = []
        /// How long a worker may have nothing to do before it ends.
        var rest: Duration = .seconds(60)
        /// The waits before a start is tried again, while the system has no process left.
        var startPauses: [Duration] = [10, 30, 100, 300, 1000, 1000].map(Duration.milliseconds)
    }

    private enum State {
        case ready
        case running(WorkerLanes)
        case stopped
    }

    private let state = Mutex(State.ready)
    private let program: WorkerProgram
    private let settings: Settings
    private let crashes: CrashMemory
    private let threads: ThreadStarter

    /// Makes a pool; no worker is started yet.
    init(
        program: WorkerProgram = .own,
        settings: Settings = Settings(),
        crashes: CrashMemory = CrashMemory(),
        threads: ThreadStarter = .system
    ) {
        self.program = program
        self.threads = threads
        self.settings = settings
        self.crashes = crashes
    }

    deinit { running?.stop() }

    /// Ends all workers and waits until they are gone; requests that wait for them fail.
    func stop() {
        let lanes = running
        state.withLock { $0 = .stopped }
        lanes?.stop()
        lanes?.join()
    }

    /// How many workers have ended before their time, or were not to be started.
    var failureCount: Int { running?.failureCount ?? 0 }

    /// The processes that are ready or at work.
    var workers: [pid_t] { running?.workers ?? [] }

    private var running: WorkerLanes? {
        state.withLock { state in
            guard case .running(let lanes) = state else { return nil }
            return lanes
        }
    }

    /// The lanes, started by the first call that succeeds; later calls start those that lacked a
    /// thread.
    private func lanes() throws(WorkerFailure) -> WorkerLanes {
        try state.withLock { state throws(WorkerFailure) in
            switch state {
            case .running(let lanes):
                try lanes.start()
                return lanes
            case .stopped: throw .stopped
            case .ready:
                let queue = try WorkerQueue(laneCount: settings.width)
                let lanes = WorkerLanes(queue, program, settings, crashes, threads)
                try lanes.start()
                state = .running(lanes)
                return lanes
            }
        }
    }

    /// The answer to a request.
    ///
    /// - Throws: ``WorkerFailure``; `CancellationError`, within 50 ms of the cancel.
    func answer(
        to request: WorkerRequest,
        urgency: Urgency = Urgency()
    ) async throws -> WorkerMessage {
        try Task.checkCancellation()
        let lanes = try self.lanes()
        let cancelled = CancellationLatch()
        defer { urgency.follow(nil) }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let job = WorkerJob(request) { continuation.resume(with: $0) }
                    let number = lanes.queue.submit(job, priority: urgency.priority)
                    urgency.follow { [lanes, unowned urgency] in
                        lanes.queue.move(number, urgency)
                    }
                    cancelled.onCancel { [lanes] in lanes.queue.cancel(job, number) }
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
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isWanted: Asked every 25 ms; the worker is ended when it is false.
    /// - Returns: The answer.
    /// - Throws: ``WorkerFailure``.
    func waitForAnswer(
        to request: WorkerRequest,
        while isWanted: () -> Bool = { true }
    ) throws(WorkerFailure) -> WorkerMessage {
        let lanes = try self.lanes()
        let done = DispatchSemaphore(value: 0)
        let outcome = Mutex<WorkerJob.Outcome>(.failure(.stopped))
        let job = WorkerJob(request) { result in
            outcome.withLock { $0 = result }
            done.signal()
        }
        let number = lanes.queue.submit(job, priority: 0.5)
        while done.wait(timeout: .now() + .milliseconds(25)) == .timedOut {
            if !isWanted() { lanes.queue.cancel(job, number) }
        }
        return try outcome.withLock { $0 }.get()
    }
}

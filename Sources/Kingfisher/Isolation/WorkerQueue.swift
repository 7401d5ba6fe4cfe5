internal import CKFIsolationShim
import Foundation
import Synchronization

/// The requests that wait for a worker, and the lanes that wait for a request.
///
/// A lane waits on an event of its own, because it waits for the end of its worker at the same
/// time. A new request wakes one lane, the last that became idle: its worker's memory is warmest.
/// A lane without a worker is woken if no other is idle, because starting one takes time.
final class WorkerQueue: Sendable {
    /// The next step of a lane.
    enum Next {
        case job(WorkerJob)
        case workerEnded
        /// Its worker has had nothing to do for the time of the settings.
        case rested
        case stopped
    }

    private struct State {
        var waiting = UrgentQueue<WorkerJob>(patience: WorkPool.patience)
        var running: [Int: WorkerJob] = [:]
        /// The lanes that wait for a request, and have not been woken; those without a worker first.
        var idle: [Int] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    /// The event of each lane.
    private let events: [Int32]

    /// Makes a queue.
    ///
    /// - Throws: ``WorkerFailure/cannotStart(_:)`` if the process has no descriptors left.
    init(laneCount: Int) throws(WorkerFailure) {
        var events: [Int32] = []
        for _ in 0..<max(1, laneCount) {
            let event = kf_event_create()
            guard event >= 0 else {
                for event in events { close(event) }
                throw .cannotStart("no descriptor is left for its events (error \(-event))")
            }
            events.append(event)
        }
        self.events = events
    }

    deinit { for event in events { close(event) } }

    var laneCount: Int { events.count }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    /// The lanes that wait for a request.
    var idleLanes: [Int] { state.withLock { $0.idle } }

    // MARK: Requests

    /// Adds a request.
    ///
    /// - Returns: Its number for ``move(_:_:)`` and ``cancel(_:_:)``.
    func submit(_ job: WorkerJob, priority: Float) -> UInt64 {
        let (number, lane) = state.withLock { state -> (UInt64?, Int?) in
            guard !state.isStopped else { return (nil, nil) }
            return (state.waiting.insert(job, priority: priority), state.idle.popLast())
        }
        if let lane { kf_event_signal(events[lane]) }
        guard let number else {
            job.finish(.failure(.stopped))
            return 0
        }
        return number
    }

    /// Moves a waiting request to the place of its urgency.
    func move(_ number: UInt64, _ urgency: Urgency) {
        state.withLock { $0.waiting.move(number, to: urgency.priority) }
    }

    func cancel(_ job: WorkerJob, _ number: UInt64) {
        job.cancel()
        let waiting = state.withLock { $0.waiting.remove(number) }
        waiting?.finish(.failure(.cancelled))
    }

    /// Ends all requests and lanes.
    func stop() {
        let (waiting, running) = state.withLock { state -> ([WorkerJob], [WorkerJob]) in
            state.isStopped = true
            var waiting: [WorkerJob] = []
            while let job = state.waiting.next() { waiting.append(job) }
            return (waiting, Array(state.running.values))
        }
        for event in events { kf_event_signal(event) }
        for job in waiting { job.finish(.failure(.stopped)) }
        for job in running { job.abandon() }
    }

    // MARK: Lanes

    /// Waits for the next request for a lane, or for the end of its worker, or until the worker has
    /// had nothing to do for a time.
    ///
    /// - Parameters:
    ///   - lane: The number of the lane.
    ///   - socket: The socket of its worker; nil if it has none.
    ///   - rest: That time; without a worker there is no limit.
    /// - Returns: The next step of the lane.
    func next(for lane: Int, orEndOf socket: Int32?, rest: Duration) -> Next {
        let patience = socket == nil ? -1 : Int32(clamping: Int(rest / .milliseconds(1)))
        while true {
            if let next = nextOrIdle(lane, hasWorker: socket != nil) { return next }
            let event = kf_event_wait(events[lane], socket ?? -1, patience)
            // No longer idle, whichever it was; a signal that comes now only costs one more round.
            state.withLock { $0.idle.removeAll { $0 == lane } }
            if event == 2 { return .workerEnded }
            if event == 0 { return .rested }
        }
    }

    private func nextOrIdle(_ lane: Int, hasWorker: Bool) -> Next? {
        state.withLock { state in
            guard !state.isStopped else { return .stopped }
            guard let job = state.waiting.next() else {
                state.idle.insert(lane, at: hasWorker ? state.idle.endIndex : 0)
                return nil
            }
            state.running[lane] = job
            return .job(job)
        }
    }

    /// Ends the request of a lane.
    func finish(_ lane: Int) { state.withLock { $0.running[lane] = nil } }
}

/// A request to a worker.
struct WorkerRequest: Sendable {
    /// The message without its memory.
    var message: [UInt8]
    var file: Data
    /// Further memory.
    var memory: [SealedMemory] = []
    /// What its worker has prepared.
    var needs: WorkerPreparations = []

    /// The message for a worker, with the file: in the shared memory or, if it is large, as sealed
    /// memory of its own, first.
    ///
    /// - Parameters:
    ///   - number: Of the request.
    ///   - exchange: The worker's.
    /// - Returns: The message.
    /// - Throws: ``WorkerFailure/noMemory(errno:)``.
    func framed(_ number: Int, _ exchange: ExchangeMemory) throws(WorkerFailure) -> WorkerMessage {
        let isExchanged = file.count <= ExchangeMemory.maxFileBytes
        var writer = WireWriter()
        writer.write(number)
        writer.write(isExchanged ? file.count : nil) { $0.write($1) }
        writer.write(bytes: message)
        guard isExchanged else {
            let first = try SealedMemory.holding(file)
            return WorkerMessage(bytes: writer.bytes, memory: [first] + memory)
        }
        try exchange.write(file)
        return WorkerMessage(bytes: writer.bytes, memory: memory)
    }
}

/// A request as its worker receives it.
struct ReceivedRequest {
    /// The message without its file.
    let message: WireReader
    /// Valid until the answer is sent.
    let file: Data
    /// Further memory.
    let memory: ArraySlice<SealedMemory>
    /// The place for a result that is not too large.
    let room: ResultRoom
}

/// A request that waits for a worker or is with one; it ends once.
final class WorkerJob: Sendable {
    typealias Outcome = Result<WorkerMessage, WorkerFailure>

    private struct State {
        var isCancelled = false
        var worker: WorkerProcess?
        var completion: (@Sendable (Outcome) -> Void)?
    }

    let request: WorkerRequest
    private let state: Mutex<State>

    init(_ request: WorkerRequest, completion: @escaping @Sendable (Outcome) -> Void) {
        self.request = request
        state = Mutex(State(completion: completion))
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Records the worker of the job; returns false if the job was cancelled.
    func begin(with worker: WorkerProcess) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.worker = worker
            return true
        }
    }

    /// Records that the job has no worker.
    func pause() { state.withLock { $0.worker = nil } }

    /// Completes the job with `outcome`; a second outcome is ignored.
    func finish(_ outcome: Outcome) {
        let completion = state.withLock { state in
            defer { state.completion = nil }
            state.worker = nil
            return state.completion
        }
        completion?(outcome)
    }

    /// Lets no worker begin; one that works on it is ended soon by its lane.
    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Ends the worker now, and lets no other begin.
    func abandon() {
        // Under the lock, so that a worker that was handed to another request is left alone.
        state.withLock { state in
            state.isCancelled = true
            state.worker?.kill()
        }
    }
}

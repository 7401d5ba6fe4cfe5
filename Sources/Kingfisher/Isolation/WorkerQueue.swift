internal import CIsolationShim
import Foundation
import Synchronization

/// The requests that wait for a worker, and the lanes that wait for a request.
///
/// A lane waits on an event of its own, because it waits for the end of its worker at the same
/// time. A new request wakes one lane, the last that became idle: its worker's memory is warmest.
final class WorkerQueue: Sendable {
    /// The next step of a lane.
    enum Next {
        case job(WorkerJob)
        case workerEnded
        case stopped
    }

    private struct State {
        var waiting = UrgentQueue<WorkerJob>()
        var running: [Int: WorkerJob] = [:]
        /// The lanes that wait for a request, and have not been woken.
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

    // MARK: Requests

    /// Adds a request.
    ///
    /// - Returns: Its number for ``raise(_:to:)`` and ``cancel(_:_:)``.
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

    func raise(_ number: UInt64, to priority: Float) {
        state.withLock { $0.waiting.raise(number, to: priority) }
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

    /// Waits for the next request for a lane, or for the end of its worker.
    ///
    /// - Parameters:
    ///   - lane: The number of the lane.
    ///   - socket: The socket of its worker; negative if it has none.
    /// - Returns: The next step of the lane.
    func next(for lane: Int, orEndOf socket: Int32) -> Next {
        while true {
            if let next = nextOrIdle(lane) { return next }
            let hasWorkerEnded = kf_event_wait(events[lane], socket) == 2
            // No longer idle, whichever it was; a signal that comes now only costs one more turn.
            state.withLock { $0.idle.removeAll { $0 == lane } }
            if hasWorkerEnded { return .workerEnded }
        }
    }

    private func nextOrIdle(_ lane: Int) -> Next? {
        state.withLock { state in
            guard !state.isStopped else { return .stopped }
            guard let job = state.waiting.next() else {
                state.idle.append(lane)
                return nil
            }
            state.running[lane] = job
            return .job(job)
        }
    }

    /// Ends the request of a lane.
    func finish(_ lane: Int) { state.withLock { $0.running[lane] = nil } }
}

import Foundation
import Synchronization

/// A request to a worker.
struct WorkerRequest: Sendable {
    /// The message without its memory.
    var message: [UInt8]
    var file: Data
    /// Further memory.
    var memory: [SealedMemory] = []

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

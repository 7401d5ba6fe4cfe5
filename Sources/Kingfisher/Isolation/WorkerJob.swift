import Foundation
import Synchronization

/// A request to a worker.
struct WorkerRequest: Sendable {
    /// The message without its memory.
    var message: [UInt8]
    /// The file; a large one is handed over as sealed memory, first.
    var file: Data
    /// Further memory.
    var memory: [SealedMemory] = []

    /// The message for a worker, with the file.
    ///
    /// - Throws: ``WorkerFailure/noMemory(errno:)``.
    func framed() throws(WorkerFailure) -> WorkerMessage {
        let isInline =
            file.count <= WorkerMessage.maxInlineBytes
            && file.count + message.count <= WorkerMessage.maxBytes - 64
        var writer = WireWriter()
        writer.write(isInline ? file : nil) { $0.write(data: $1) }
        writer.write(bytes: message)
        let first = isInline ? [] : [try SealedMemory.holding(file)]
        return WorkerMessage(bytes: writer.bytes, memory: first + memory)
    }
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

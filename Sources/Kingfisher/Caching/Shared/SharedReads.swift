import Foundation
import Synchronization

/// Reads of a shared storage, combined into few requests.
///
/// Names that are requested at the same time, or while a request is running, are sent together. If
/// a request fails, everything that waits fails with it, so that a caller waits for at most one
/// time-out.
final class SharedReads: Sendable {
    /// The outcome for one name.
    enum Answer: Sendable {
        case value(Data)
        case missing
        case unavailable
    }

    private struct Waiter {
        let name: String
        let continuation: CheckedContinuation<Answer, Never>
    }

    private struct State {
        var waiters: [Waiter] = []
        var isSending = false
    }

    /// The maximum number of names in a request.
    static let batchSize = 32

    private let gateway: SharedGateway
    private let state = Mutex(State())

    init(_ gateway: SharedGateway) { self.gateway = gateway }

    /// The number of reads that wait for their request to be sent.
    var waitingCount: Int { state.withLock { $0.waiters.count } }

    /// Returns the value of a name; cancellation has no effect.
    func value(of name: String) async -> Answer {
        await withCheckedContinuation { continuation in
            let starts = state.withLock { state in
                state.waiters.append(Waiter(name: name, continuation: continuation))
                defer { state.isSending = true }
                return !state.isSending
            }
            if starts { Task { await send() } }
        }
    }

    private func send() async {
        // Lets other tasks that are ready add their names.
        await Task.yield()
        while let batch = nextBatch() {
            let names = Set(batch.map(\.name))
            let reply = await gateway.ask { try await $0.values(for: Array(names)) }
            guard let values = reply.value else {
                let others = state.withLock { state in
                    defer { state.waiters = [] }
                    return state.waiters
                }
                for waiter in batch + others { waiter.continuation.resume(returning: .unavailable) }
                continue
            }
            for waiter in batch {
                let value = values[waiter.name]
                waiter.continuation.resume(returning: value.map { .value($0) } ?? .missing)
            }
        }
    }

    private func nextBatch() -> [Waiter]? {
        state.withLock { state in
            let batch = Array(state.waiters.prefix(Self.batchSize))
            state.waiters.removeFirst(batch.count)
            state.isSending = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }
}

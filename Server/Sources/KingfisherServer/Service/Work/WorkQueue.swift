import Synchronization

/// Limits how much work runs at once, fairly by client.
///
/// A free slot goes to the client with the least running work, of several to the one whose last turn
/// is longest ago; the work of one client starts in the order of its arrival. A lane of its own is
/// open to small work alone, so that it does not wait for a slot while large work has them all: what
/// it takes from the others is as small as itself.
///
/// Each operation takes time proportional to the number of clients and waiters.
final class WorkQueue: Sendable {
    private struct Waiter {
        let number: UInt64
        let isSmall: Bool
        let continuation: CheckedContinuation<Slot, any Error>
    }

    /// The work of a client.
    private struct Client {
        var running = 0
        /// The number of the last turn; 0 for none.
        var lastTurn: UInt64 = 0
        /// The oldest first.
        var waiters: [Waiter] = []

        mutating func begin(_ turn: UInt64) {
            running += 1
            lastTurn = turn
        }
    }

    private enum Slot {
        case usual, lane
    }

    private struct State {
        var running = 0
        var runningInLane = 0
        var clients: [String: Client] = [:]
        var lastNumber: UInt64 = 0
        var lastTurn: UInt64 = 0

        mutating func begin(_ client: String) {
            lastTurn &+= 1
            clients[client, default: Client()].begin(lastTurn)
        }
    }

    private let state = Mutex(State())
    /// The pieces of work of any size that run at the same time.
    let width: Int
    /// The pieces of small work that run beside them.
    let laneWidth: Int

    /// Makes an empty queue.
    init(width: Int, laneWidth: Int = 0) {
        self.width = max(1, width)
        self.laneWidth = max(0, laneWidth)
    }

    /// The pieces of work that run.
    var running: Int { state.withLock { $0.running + $0.runningInLane } }

    /// The pieces of work that wait for a slot.
    var queued: Int { state.withLock { $0.clients.values.reduce(0) { $0 + $1.waiters.count } } }

    /// Runs a piece of work as soon as it is next.
    ///
    /// - Parameters:
    ///   - client: The client that asks for it.
    ///   - isSmall: Whether it may use the lane.
    ///   - body: The work.
    /// - Returns: The result of `body`.
    /// - Throws: `CancellationError` if the task is cancelled while it waits; the errors of `body`.
    func run<Value: Sendable>(
        for client: String = "",
        isSmall: Bool = false,
        _ body: () async throws -> Value
    ) async throws -> Value {
        let slot = try await begin(client, isSmall)
        defer { end(slot, client) }
        return try await body()
    }

    private func begin(_ client: String, _ isSmall: Bool) async throws -> Slot {
        let number = state.withLock { state in
            state.lastNumber &+= 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, isSmall: isSmall, continuation: continuation)
                let slot = state.withLock { state in
                    let slot = freeSlot(isSmall, &state)
                    if slot != nil {
                        state.begin(client)
                    } else {
                        state.clients[client, default: Client()].waiters.append(waiter)
                    }
                    return slot
                }
                if let slot { continuation.resume(returning: slot) }
                // Cancelled before it was among the waiters.
                if Task.isCancelled { leave(number, client) }
            }
        } onCancel: {
            leave(number, client)
        }
    }

    /// Takes a free slot; there are no waiters while one is free.
    private func freeSlot(_ isSmall: Bool, _ state: inout State) -> Slot? {
        if state.running < width {
            state.running += 1
            return .usual
        }
        guard isSmall, state.runningInLane < laneWidth else { return nil }
        state.runningInLane += 1
        return .lane
    }

    private func leave(_ number: UInt64, _ client: String) {
        let waiter = state.withLock { state -> Waiter? in
            let index = state.clients[client]?.waiters.firstIndex { $0.number == number }
            let waiter = index.flatMap { state.clients[client]?.waiters.remove(at: $0) }
            Self.forget(client, &state)
            return waiter
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func end(_ slot: Slot, _ client: String) {
        let next = state.withLock { state in
            state.clients[client]?.running -= 1
            // A waiter takes the slot over, so that no newcomer overtakes it.
            let next = Self.next(slot, &state)
            switch slot {
            case .usual: state.running -= next == nil ? 1 : 0
            case .lane: state.runningInLane -= next == nil ? 1 : 0
            }
            Self.forget(client, &state)
            return next
        }
        next?.continuation.resume(returning: slot)
    }

    /// Takes the waiter that gets a slot.
    private static func next(_ slot: Slot, _ state: inout State) -> Waiter? {
        let firsts = state.clients.lazy.compactMap { name, client in
            client.waiters.firstIndex { slot == .usual || $0.isSmall }.map { index in
                let number = client.waiters[index].number
                return (name: name, index: index, key: (client.running, client.lastTurn, number))
            }
        }
        guard let first = firsts.min(by: { $0.key < $1.key }) else { return nil }
        state.begin(first.name)
        return state.clients[first.name]?.waiters.remove(at: first.index)
    }

    private static func forget(_ name: String, _ state: inout State) {
        guard let client = state.clients[name], client.running == 0, client.waiters.isEmpty else {
            return
        }
        state.clients[name] = nil
    }
}

import Synchronization

/// Limits how much work runs at once, fairly by client.
///
/// A free slot goes to the client with the least running work, of several to the one whose last turn
/// is longest ago; the work of one client starts in the order of its arrival. A lane of its own is
/// open to small work alone, so that it does not wait for a slot while large work has them all.
/// There a client gets its share of the cores at most, which is 1 / n of them while n clients have
/// work: after a piece of that work its next one waits until the share has grown by as much, or for
/// a turn. The share is the virtual time of A. Demers, S. Keshav and S. Shenker, "Analysis and
/// Simulation of a Fair Queueing Algorithm", 1989.
///
/// Each operation takes time proportional to the number of clients and waiters.
final class WorkQueue: Sendable {
    private struct Waiter {
        let number: UInt64
        let isSmall: Bool
        let continuation: CheckedContinuation<Turn, any Error>
    }

    /// The work of a client.
    private struct Client {
        var running = 0
        /// The number of the last turn; 0 for none.
        var lastTurn: UInt64 = 0
        /// The oldest first.
        var waiters: [Waiter] = []
        /// The share at which what it took in the lane is made up for.
        var paidAt = 0.0
        /// The seconds that its last piece of work in the lane took.
        var lastTime = 0.0

        var hasWork: Bool { running > 0 || !waiters.isEmpty }

        /// Whether it could have begun fewer than four pieces in the lane since the last one.
        func isRecent(at share: Double) -> Bool {
            paidAt + 4 * lastTime > share
        }

        /// Counts a piece of work in the lane as the shorter one of it and the last: the time of a
        /// single one depends on what else the system runs just then.
        mutating func endInLane(after seconds: Double) {
            paidAt += min(seconds, lastTime)
            lastTime = seconds
        }
    }

    private enum Slot {
        case usual, lane
    }

    private struct Turn {
        let slot: Slot
        let begun: Duration
    }

    private struct State {
        var running = 0
        var runningInLane = 0
        /// Those that have work, or had some in the lane a short while ago.
        var clients: [String: Client] = [:]
        var lastNumber: UInt64 = 0
        var lastTurn: UInt64 = 0
        /// The seconds of a core that a client could have had which always had work.
        var share = 0.0
        /// When the share was counted.
        var counted = Duration.zero
        /// Ends a wait for the lane.
        var alarm: Task<Void, Never>?

        var clientsWithWork: Int { clients.values.count { $0.hasWork } }
    }

    private let state = Mutex(State())
    /// The pieces of work of any size that run at the same time.
    let width: Int
    /// The pieces of small work that run beside them.
    let laneWidth: Int
    private let clock: QueueClock

    /// Makes an empty queue.
    init(width: Int, laneWidth: Int = 0, clock: QueueClock = .system) {
        self.width = max(1, width)
        self.laneWidth = max(0, laneWidth)
        self.clock = clock
    }

    /// The pieces of work that run.
    var running: Int { state.withLock { $0.running + $0.runningInLane } }

    /// The pieces of work that wait for a slot.
    var queued: Int { state.withLock { $0.clients.values.reduce(0) { $0 + $1.waiters.count } } }

    /// The clients that are remembered.
    var clients: Int { state.withLock { $0.clients.count } }

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
        let turn = try await begin(client, isSmall)
        defer { end(turn, client) }
        return try await body()
    }

    private func begin(_ client: String, _ isSmall: Bool) async throws -> Turn {
        let number = state.withLock { state in
            state.lastNumber &+= 1
            return state.lastNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, isSmall: isSmall, continuation: continuation)
                change { $0.clients[client, default: Client()].waiters.append(waiter) }
                // Cancelled before it was among the waiters.
                if Task.isCancelled { leave(number, client) }
            }
        } onCancel: {
            leave(number, client)
        }
    }

    private func leave(_ number: UInt64, _ client: String) {
        let waiter = change { state -> Waiter? in
            let index = state.clients[client]?.waiters.firstIndex { $0.number == number }
            return index.flatMap { state.clients[client]?.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    private func end(_ turn: Turn, _ client: String) {
        change { state in
            state.clients[client]?.running -= 1
            switch turn.slot {
            case .usual:
                state.running -= 1
            case .lane:
                state.runningInLane -= 1
                let time = state.counted - turn.begun
                state.clients[client]?.endInLane(after: time / .seconds(1))
            }
        }
    }

    /// Changes the state, and starts what may start then.
    private func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, started) = state.withLock { state in
            count(&state)
            let value = body(&state)
            let started = start(.usual, &state) + start(.lane, &state)
            let isIdle = state.clientsWithWork == 0
            state.clients = state.clients.filter {
                $1.hasWork || !isIdle && $1.isRecent(at: state.share)
            }
            setAlarm(&state)
            return (value, started)
        }
        for (waiter, turn) in started { waiter.continuation.resume(returning: turn) }
        return value
    }

    /// Counts the time since the last change.
    private func count(_ state: inout State) {
        let now = clock.now()
        let seconds = max(0, (now - state.counted) / .seconds(1))
        state.counted = now
        let clients = state.clientsWithWork
        guard clients > 0 else { return }
        state.share += seconds * Double(width) / Double(clients)
    }

    /// Takes the waiters that get the free slots of a kind.
    private func start(_ slot: Slot, _ state: inout State) -> [(Waiter, Turn)] {
        var started: [(Waiter, Turn)] = []
        while slot == .usual ? state.running < width : state.runningInLane < laneWidth {
            guard let waiter = Self.next(slot, &state) else { break }
            started.append((waiter, Turn(slot: slot, begun: state.counted)))
        }
        return started
    }

    private static func next(_ slot: Slot, _ state: inout State) -> Waiter? {
        let share = state.share
        let candidates = state.clients.filter { slot == .usual || $1.paidAt <= share }
        let firsts = candidates.compactMap { name, client in
            client.waiters.firstIndex { slot == .usual || $0.isSmall }.map { index in
                let number = client.waiters[index].number
                return (name: name, index: index, key: (client.running, client.lastTurn, number))
            }
        }
        guard let first = firsts.min(by: { $0.key < $1.key }),
            var client = state.clients[first.name]
        else { return nil }
        state.lastTurn &+= 1
        client.lastTurn = state.lastTurn
        client.running += 1
        switch slot {
        case .usual:
            state.running += 1
        case .lane:
            state.runningInLane += 1
            client.paidAt = max(client.paidAt, share)
        }
        let waiter = client.waiters.remove(at: first.index)
        state.clients[first.name] = client
        return waiter
    }

    /// Sees to it that small work starts in a free lane once its client may.
    private func setAlarm(_ state: inout State) {
        state.alarm?.cancel()
        state.alarm = nil
        guard state.runningInLane < laneWidth else { return }
        let waiting = state.clients.values.filter { $0.waiters.contains(where: \.isSmall) }
        guard let paidAt = waiting.map(\.paidAt).min() else { return }
        let perSecond = Double(width) / Double(state.clientsWithWork)
        let pause = Duration.seconds((paidAt - state.share) / perSecond)
        state.alarm = Task { [weak self, clock] in
            // Not shorter, so that rounding cannot make it run on the spot.
            try? await clock.sleep(max(pause, .milliseconds(1)))
            if !Task.isCancelled { self?.change { _ in } }
        }
    }
}

/// The time of a queue, which tests set.
struct QueueClock: Sendable {
    static let system = QueueClock(
        now: { [start = ContinuousClock.now] in start.duration(to: .now) },
        sleep: { try await Task.sleep(for: $0) }
    )

    /// The time since some moment.
    let now: @Sendable () -> Duration
    /// Waits, or ends early by an error if the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void
}

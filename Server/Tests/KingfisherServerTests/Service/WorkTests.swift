import Synchronization
import Testing

@testable import KingfisherServer

@Suite(.timeLimit(.minutes(1)))
struct WorkTests {
    @Test("Waiters run in the order of their arrival, without those that have left")
    func order() async throws {
        let queue = WorkQueue(width: 1)
        let (gate, open) = AsyncStream<Void>.makeStream()
        let order = Numbers()
        let first = Task { try await queue.run { for await _ in gate { break } } }
        while queue.running < 1 { try await pause() }
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<200 {
            tasks.append(Task { try await queue.run { order.add(number) } })
            while queue.queued < number + 1 { try await pause() }
        }
        for number in stride(from: 1, to: 200, by: 2) {
            tasks[number].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[number].value }
        }
        open.yield()
        try await first.value
        for number in stride(from: 0, to: 200, by: 2) { try await tasks[number].value }
        #expect(order.all == Array(stride(from: 0, to: 200, by: 2)))
        #expect(queue.running == 0)
    }

    /// Fills a queue of one slot, adds work while it is full, and returns the order in which it ran.
    private func order(
        _ queue: WorkQueue,
        of work: [(client: String, isSmall: Bool)],
        busy client: String
    ) async throws -> [Int] {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let order = Numbers()
        let first = Task { try await queue.run(for: client) { for await _ in gate { break } } }
        while queue.running < 1 { try await pause() }
        var tasks: [Task<Void, any Error>] = []
        for (number, piece) in work.enumerated() {
            tasks.append(
                Task {
                    try await queue.run(for: piece.client, isSmall: piece.isSmall) {
                        order.add(number)
                    }
                }
            )
            while queue.queued + order.all.count < number + 1 { try await pause() }
        }
        open.yield()
        try await first.value
        for task in tasks { try await task.value }
        #expect(queue.running == 0 && queue.queued == 0)
        return order.all
    }

    @Test("A client with little work is next, before the rest of one with much")
    func clients() async throws {
        let work = [("a", false), ("a", false), ("a", false), ("b", false), ("c", false)]
        let found = try await order(WorkQueue(width: 1), of: work, busy: "a")
        #expect(found == [3, 4, 0, 1, 2])
    }

    @Test("Small work has a lane of its own, which large work never takes")
    func lane() async throws {
        let work = [("a", false), ("a", true), ("b", true), ("a", false)]
        let found = try await order(WorkQueue(width: 1, laneWidth: 1), of: work, busy: "a")
        #expect(found == [1, 2, 0, 3])
    }

    @Test("Small work that waits for the lane also takes a slot that becomes free")
    func laneIsFull() async throws {
        let queue = WorkQueue(width: 1, laneWidth: 1)
        let (usualGate, openUsual) = AsyncStream<Void>.makeStream()
        let (laneGate, openLane) = AsyncStream<Void>.makeStream()
        let usual = Task { try await queue.run(for: "b") { for await _ in usualGate { break } } }
        while queue.running < 1 { try await pause() }
        let lane = Task {
            try await queue.run(for: "x", isSmall: true) { for await _ in laneGate { break } }
        }
        while queue.running < 2 { try await pause() }
        let waiting = Task { try await queue.run(for: "a", isSmall: true) {} }
        while queue.queued < 1 { try await pause() }
        openUsual.yield()
        try await usual.value
        // The lane is still taken.
        try await waiting.value
        #expect(queue.running == 1)
        openLane.yield()
        try await lane.value
    }

    /// A queue of two slots for which seven clients have large work, whose end a test decides.
    private func crowded(_ time: QueueTime) async throws -> (WorkQueue, [Gate]) {
        let queue = WorkQueue(width: 2, laneWidth: 1, clock: time.clock)
        var gates: [Gate] = []
        for client in ["a", "b", "c", "d", "e", "f", "g"] {
            gates.append(Gate(queue, client, isSmall: false))
            while queue.running + queue.queued < gates.count { try await pause() }
        }
        #expect(queue.running == 2)
        return (queue, gates)
    }

    /// Runs small work that takes some time in the lane of a queue that is full otherwise.
    private func runSmall(
        _ queue: WorkQueue,
        _ client: String,
        for duration: Duration,
        _ time: QueueTime
    ) async throws {
        let small = Gate(queue, client, isSmall: true)
        while queue.running < 3 { try await pause() }
        time.advance(by: duration)
        try await small.end()
    }

    @Test("In the lane a client gets its share of the cores at most")
    func share() async throws {
        let time = QueueTime()
        let (queue, gates) = try await crowded(time)
        for _ in 1...2 { try await runSmall(queue, "s", for: .milliseconds(8), time) }
        // The second counts as 8 ms of a core, and an eighth of two cores for 8 ms is 2 ms.
        let third = Gate(queue, "s", isSmall: true)
        while time.sleepers == 0 { try await pause() }
        #expect(queue.running == 2)
        // A client that has taken nothing does not wait for it.
        try await queue.run(for: "t", isSmall: true) {}
        while time.sleepers == 0 { try await pause() }
        time.advance(by: .milliseconds(23))
        #expect(queue.running == 2)
        time.advance(by: .milliseconds(2))
        while queue.running < 3 { try await pause() }
        // One that takes long counts as the one before it.
        time.advance(by: .milliseconds(80))
        try await third.end()
        try await runSmall(queue, "s", for: .zero, time)
        for gate in gates { try await gate.end() }
        #expect(queue.running == 0 && queue.clients == 0)
    }

    @Test("Small work beyond the share of its client gets its turns")
    func shareIsSpent() async throws {
        let time = QueueTime()
        let (queue, gates) = try await crowded(time)
        for _ in 1...2 { try await runSmall(queue, "s", for: .seconds(1), time) }
        let third = Gate(queue, "s", isSmall: true)
        while queue.queued < 6 { try await pause() }
        // The turns of the five that have had none.
        for gate in gates[..<5] { try await gate.end() }
        #expect(queue.running == 2 && queue.queued == 1)
        try await gates[5].end()
        #expect(queue.running == 2 && queue.queued == 0)
        for gate in [gates[6], third] { try await gate.end() }
    }

    @Test("The lane does not wait where nobody else has work")
    func shareOfAll() async throws {
        let time = QueueTime()
        let queue = WorkQueue(width: 2, laneWidth: 1, clock: time.clock)
        let large = (1...2).map { _ in Gate(queue, "a", isSmall: false) }
        while queue.running < 2 { try await pause() }
        for _ in 1...5 { try await runSmall(queue, "a", for: .milliseconds(9), time) }
        #expect(time.sleepers == 0)
        for gate in large { try await gate.end() }
    }

    @Test("Few clients are remembered for what they took in the lane")
    func rememberedClients() async throws {
        let time = QueueTime()
        let (queue, gates) = try await crowded(time)
        var most = 0
        for number in 1...500 {
            try await runSmall(queue, "\(number)", for: .milliseconds(9), time)
            most = max(most, queue.clients)
        }
        #expect(most <= 30)
        for gate in gates { try await gate.end() }
        #expect(queue.clients == 0)
    }

    @Test("Networks of IPv6 are one client")
    func groups() {
        let name = ClientGroup.name
        #expect(name("2001:db8::1") == name("2001:db8::ffff:1:2"))
        #expect(name("2001:db8::1") != name("2001:db8:0:1::1"))
        #expect(name("1.2.3.4") == "1.2.3.4" && name("socket") == "socket")
    }

    @Test("A deadline ends work that takes longer")
    func deadline() async {
        await #expect(throws: ServiceError(504, "late", "wait")) {
            try await withDeadline(.milliseconds(1), or: ServiceError(504, "late", "wait")) {
                try await Task.sleep(for: .seconds(3600))
            }
        }
    }
}

/// Work in a queue that a test ends.
private struct Gate {
    private let task: Task<Void, any Error>
    private let ending: AsyncStream<Void>.Continuation

    init(_ queue: WorkQueue, _ client: String, isSmall: Bool) {
        let (ends, ending) = AsyncStream<Void>.makeStream()
        self.ending = ending
        task = Task {
            try await queue.run(for: client, isSmall: isSmall) { for await _ in ends {} }
        }
    }

    /// Returns when the work has left its queue.
    func end() async throws {
        ending.finish()
        try await task.value
    }
}

/// The time of a queue, which only a test advances.
private final class QueueTime: Sendable {
    private struct State {
        var now = Duration.zero
        var sleepers: [Int: (end: Duration, wake: AsyncStream<Void>.Continuation)] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    var clock: QueueClock {
        QueueClock(now: { self.state.withLock { $0.now } }, sleep: { try await self.sleep($0) })
    }

    /// Those that wait for a time which has not come.
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            return state.sleepers.filter { $0.value.end <= state.now }
        }
        for (number, sleeper) in due {
            forget(number)
            sleeper.wake.finish()
        }
    }

    private func sleep(_ duration: Duration) async throws {
        let (wakes, wake) = AsyncStream<Void>.makeStream()
        let number = state.withLock { state in
            state.last += 1
            state.sleepers[state.last] = (state.now + duration, wake)
            return state.last
        }
        await withTaskCancellationHandler {
            for await _ in wakes {}
        } onCancel: {
            forget(number)
        }
        forget(number)
        try Task.checkCancellation()
    }

    private func forget(_ sleeper: Int) {
        state.withLock { _ = $0.sleepers.removeValue(forKey: sleeper) }
    }
}

/// Numbers in the order in which they were added.
private final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}

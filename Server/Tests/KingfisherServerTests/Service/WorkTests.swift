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

/// Numbers in the order in which they were added.
private final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
}

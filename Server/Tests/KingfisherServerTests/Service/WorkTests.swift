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

import TestSupport
import Testing

@testable import Kingfisher

struct ByteBudgetTests {
    @Test(.timeLimit(.minutes(1)))
    func `the bytes in use never exceed the limit`() async throws {
        let budget = ByteBudget(limit: 100)
        let peak = Locked(0)
        try await withThrowingTaskGroup { group in
            for bytes in (1...200).map({ $0 % 60 + 1 }) {
                group.addTask {
                    try await budget.with(bytes: bytes) {
                        let used = budget.used
                        peak.change { $0 = max($0, used) }
                        await Task.yield()
                    }
                }
            }
            try await group.waitForAll()
        }
        let highest = peak.value
        #expect(highest <= 100)
        #expect(budget.used == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a wish above the whole budget is granted alone`() async throws {
        let budget = ByteBudget(limit: 10)
        let used = try await budget.with(bytes: 50) { budget.used }
        #expect(used == 50)
        #expect(budget.used == 0)
    }

    @Test(.timeLimit(.minutes(1)))
    func `cancelling a waiter lets the next one go`() async throws {
        let budget = ByteBudget(limit: 10)
        let held = Gate()
        let first = Task.immediate { try await budget.with(bytes: 10) { await held.wait() } }
        let waiter = Task.immediate { try await budget.with(bytes: 10) {} }
        let next = Task.immediate { try await budget.with(bytes: 1) { true } }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        held.open()
        try await first.value
        #expect(try await next.value)
    }

    @Test(.timeLimit(.minutes(1)))
    func `waiters are granted in order of arrival, however many leave`() async throws {
        let budget = ByteBudget(limit: 1)
        let held = Gate()
        let granted = Locked<[Int]>([])
        let first = Task.immediate { try await budget.with(bytes: 1) { await held.wait() } }
        let waiters = (0..<300).map { number in
            Task.immediate {
                try await budget.with(bytes: 1) { granted.change { $0.append(number) } }
            }
        }
        for (number, waiter) in waiters.enumerated() where number % 3 != 0 { waiter.cancel() }
        held.open()
        try await first.value
        for waiter in waiters { _ = await waiter.result }
        #expect(granted.value == Array(stride(from: 0, to: 300, by: 3)))
        #expect(budget.used == 0)
    }
}

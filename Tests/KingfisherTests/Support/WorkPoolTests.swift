import Dispatch
import TestSupport
import Testing

@testable import Kingfisher

struct WorkPoolTests {
    @Test(.timeLimit(.minutes(1)))
    func `urgent work overtakes, equal work keeps its order`() async {
        let pool = WorkPool(label: "test", width: 1)
        let order = Locked<[String]>([])
        let blocker = DispatchSemaphore(value: 0)
        let done = Gate()
        pool.submit { blocker.wait() }
        for (name, priority) in [("a", 0.2), ("b", 0.9), ("c", 0.2), ("d", 0.9)]
            as [(String, Float)]
        {
            pool.submit(priority: priority) { order.change { $0.append(name) } }
        }
        pool.submit(priority: 0) { done.open() }
        blocker.signal()
        await done.wait()
        let names = order.value
        #expect(names == ["b", "d", "a", "c"])
    }

    @Test(.timeLimit(.minutes(1)))
    func `no more jobs run at once than the pool is wide`() async throws {
        let pool = WorkPool(label: "test", width: 3)
        let running = Locked((now: 0, peak: 0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    try await pool.run {
                        running.change {
                            $0.now += 1
                            $0.peak = max($0.peak, $0.now)
                        }
                        running.change { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        let peak = running.value.peak
        #expect((1...3).contains(peak))
    }

    @Test(.timeLimit(.minutes(1)))
    func `work that is cancelled while it waits does not run`() async throws {
        let pool = WorkPool(label: "test", width: 1)
        let blocker = DispatchSemaphore(value: 0)
        pool.submit { blocker.wait() }
        let ran = Locked(false)
        let waiting = Task.immediate { try await pool.run { ran.change { $0 = true } } }
        waiting.cancel()
        blocker.signal()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let didRun = ran.value
        #expect(!didRun)
    }

    @Test(.timeLimit(.minutes(1)))
    func `waiting work that becomes more urgent overtakes`() async throws {
        let pool = WorkPool(label: "test", width: 1)
        let order = Locked<[String]>([])
        let blocker = DispatchSemaphore(value: 0)
        pool.submit { blocker.wait() }
        let urgency = Urgency(0.1)
        let raised = Task.immediate {
            try await pool.run(urgency: urgency) { order.change { $0.append("raised") } }
        }
        let other = Task.immediate {
            try await pool.run(urgency: Urgency(0.5)) { order.change { $0.append("other") } }
        }
        urgency.change { 0.9 }
        blocker.signal()
        try await raised.value
        try await other.value
        #expect(order.value == ["raised", "other"])
    }
}

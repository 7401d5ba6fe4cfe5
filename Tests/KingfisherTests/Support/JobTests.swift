import Dispatch
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct JobTests {
    @Test func `work is as urgent as its most urgent caller`() async throws {
        let gate = Gate()
        let job = Job<Float>(priority: 0.2) { job in
            await gate.wait()
            return job.urgency.priority
        }
        job.start()
        let calm = Urgency(0.2)
        let callers = [calm, Urgency(0.4), Urgency(0.3)].map { urgency in
            Task.immediate { try await job.value(urgency: urgency) }
        }
        // An earlier caller becomes more urgent, as when another one joins the load that waits for
        // it.
        calm.change { 0.9 }
        gate.open()
        for caller in callers { #expect(try await caller.value == 0.9) }
    }

    @Test func `work is less urgent once its most urgent caller has left, or waits longer`() async {
        let gate = Gate()
        let job = Job<Void>(priority: 0.9) { _ in await gate.wait() }
        job.start()
        let seen = Urgency(0.5)
        let callers = [Urgency(0.9), seen, Urgency(0.25)].map { urgency in
            Task.immediate { try await job.value(urgency: urgency) }
        }
        #expect(job.urgency.priority == 0.9)
        callers[0].cancel()
        _ = await callers[0].result
        #expect(job.urgency.priority == 0.5)
        seen.change { 0.1 }
        #expect(job.urgency.priority == 0.25)
        gate.open()
        for caller in callers { _ = await caller.result }
    }

    @Test func `work runs once, whichever caller starts it`() async throws {
        let runs = Locked(0)
        let job = Job<Int> { _ in
            runs.change { $0 += 1 }
            return 7
        }
        job.start()
        job.start()
        await job.runHere()
        #expect(try await job.value() == 7)
        #expect(try await job.value() == 7)
        #expect(runs.value == 1)
    }

    @Test func `a caller that stays cancelled gets the result`() async throws {
        let gate = Gate()
        let job = Job<Int> { _ in
            await gate.wait()
            try Task.checkCancellation()
            return 7
        }
        job.start()
        let caller = Task.immediate { try await job.value(staysCancelled: true) }
        caller.cancel()
        gate.open()
        #expect(try await caller.value == 7)
    }

    @Test func `a job that all callers left cannot be joined`() async throws {
        let gate = Gate()
        let job = Job<Int> { _ in
            await gate.wait()
            return 7
        }
        job.start()
        let caller = Task.immediate { try await job.value() }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(!job.isJoinable)
        await #expect(throws: Job<Int>.Abandoned.self) { try await job.value() }
        gate.open()
    }
}

/// Tasks on the threads of a pool.
@Suite(.timeLimit(.minutes(1)))
struct LaneTests {
    private let pool = WorkPool(label: "lanes", width: 1)

    /// Begins a job in a lane of its own.
    private func begin(
        priority: Float = 0.5,
        _ work: @escaping @Sendable () async throws -> Void
    ) -> Task<Void, any Error> {
        let lane = Lane(in: pool, priority: priority)
        return Task.immediate { try await Job<Void>.run(in: lane) { _ in try await work() } }
    }

    @Test func `a task that has begun ends before others of its pool begin`() async throws {
        let order = Locked<[String]>([])
        let blocker = DispatchSemaphore(value: 0)
        pool.submit { blocker.wait() }
        let tasks = ["a", "b", "c", "d"].map { name in
            begin {
                for step in 0..<3 {
                    order.change { $0.append("\(name)\(step)") }
                    await Task.yield()
                }
            }
        }
        blocker.signal()
        for task in tasks { try await task.value }
        let names = order.value
        // Two begin at a time with one thread: the third after the end of one of them.
        let index = { (name: String) in names.firstIndex(of: name) ?? 0 }
        #expect(index("c0") > min(index("a2"), index("b2")))
        #expect(index("d0") > max(index("a2"), index("b2")))
    }

    @Test func `urgent tasks begin first, and a rise counts`() async throws {
        let order = Locked<[String]>([])
        let blocker = DispatchSemaphore(value: 0)
        pool.submit { blocker.wait() }
        let low = Lane(in: pool, priority: 0.1)
        let raised = Task.immediate {
            try await Job<Void>.run(in: low) { _ in order.change { $0.append("raised") } }
        }
        let tasks = [("calm", Float(0.2)), ("urgent", 0.9)].map { name, priority in
            begin(priority: priority) { order.change { $0.append(name) } }
        }
        // The first step is queued by then, because tasks are queued where they are made.
        low.urgency.change { 0.5 }
        blocker.signal()
        for task in tasks + [raised] { try await task.value }
        #expect(order.value == ["urgent", "raised", "calm"])
    }

    @Test func `while a thread waits for a disk another one computes`() async throws {
        let disk = DispatchSemaphore(value: 0)
        let reading = begin { [pool] in pool.blocking { disk.wait() } }
        try await begin {}.value
        disk.signal()
        try await reading.value
    }

    @Test func `a task that waits elsewhere lets others begin`() async throws {
        let gate = Gate()
        let waiting = (0..<4).map { _ in
            let lane = Lane(in: pool, priority: 0.5)
            return Task.immediate {
                try await Job<Void>.run(in: lane) { _ in await lane.leaving { await gate.wait() } }
            }
        }
        try await begin {}.value
        gate.open()
        for task in waiting { try await task.value }
    }

    @Test func `code that occupies a thread can wait for work of the same pool`() async throws {
        let other = Lane(in: pool, priority: 0.5)
        let shared = Job<Int>(in: other) { _ in 7 }
        let values = Locked<[Int?]>([])
        try await begin { [pool] in
            let done = DispatchSemaphore(value: 0)
            WorkPool.$isOccupied.withValue(true) {
                Task {
                    defer { done.signal() }
                    // Work of its own, and work that others have queued before.
                    let own = Lane(in: pool, priority: 0.5)
                    let first = try? await Job<Int>.run(in: own) { _ in 8 }
                    shared.start()
                    let second = try? await shared.value()
                    values.change { $0 = [first, second] }
                }
                done.wait()
            }
        }.value
        #expect(values.value == [8, 7])
    }
}

import TestSupport
import Testing

@_spi(Server) @testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct JobTableTests {
    struct Failure: Error {}

    @Test func `callers of one key share the work`() async throws {
        let jobs = JobTable<String, Int>()
        let runs = Locked(0)
        let gate = Gate()
        let callers = (0..<10).map { _ in
            Task.immediate {
                try await jobs.value(for: "key") {
                    runs.change { $0 += 1 }
                    await gate.wait()
                    return 7
                }
            }
        }
        gate.open()
        for caller in callers { #expect(try await caller.value == 7) }
        let count = runs.value
        #expect(count == 1)
        #expect(jobs.runningCount == 0)
    }

    @Test func `one caller's cancel leaves the others their result`() async throws {
        let jobs = JobTable<String, Int>()
        let gate = Gate()
        let work: @Sendable () async throws -> Int = {
            await gate.wait()
            try Task.checkCancellation()
            return 7
        }
        let leaver = Task.immediate { try await jobs.value(for: "key", work) }
        let stayer = Task.immediate { try await jobs.value(for: "key", work) }
        leaver.cancel()
        await #expect(throws: CancellationError.self) { try await leaver.value }
        gate.open()
        #expect(try await stayer.value == 7)
    }

    @Test func `the last caller to leave cancels the work`() async throws {
        let jobs = JobTable<String, Int>()
        let cancelled = Gate()
        let started = Gate()
        let caller = Task.immediate {
            try await jobs.value(for: "key") {
                await withTaskCancellationHandler {
                    started.open()
                    await cancelled.wait()
                    return 0
                } onCancel: {
                    cancelled.open()
                }
            }
        }
        await started.wait()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        await cancelled.wait()
        #expect(jobs.runningCount == 0)
    }

    @Test func `a failure reaches every caller and is forgotten`() async throws {
        let jobs = JobTable<String, Int>()
        await #expect(throws: Failure.self) {
            try await jobs.value(for: "key") { throw Failure() }
        }
        #expect(try await jobs.value(for: "key") { 1 } == 1)
    }

    @Test func `a thousand random cancels leave no jobs`() async {
        let jobs = JobTable<Int, Int>()
        await withTaskGroup { group in
            for index in 0..<1_000 {
                group.addTask {
                    let caller = Task {
                        try await jobs.value(for: index % 7) {
                            await Task.yield()
                            return index
                        }
                    }
                    if index % 3 != 0 { caller.cancel() }
                    _ = await caller.result
                }
            }
        }
        #expect(jobs.runningCount == 0)
    }

    @Test func `a job stays with its result until the table goes, and a failed one does not`()
        async throws
    {
        let jobs = JobTable<String, Int>()
        let failing = jobs.job(for: "key") { Job { _ in throw Failure() } }
        failing.job.start()
        await #expect(throws: Failure.self) { try await failing.job.value() }
        let first = jobs.job(for: "key") { Job { _ in 7 } }
        first.job.start()
        #expect(try await first.job.value() == 7)
        let second = jobs.job(for: "key") { Job { _ in 8 } }
        #expect(first.isNew && !second.isNew)
        #expect(try await second.job.value() == 7)
    }
}

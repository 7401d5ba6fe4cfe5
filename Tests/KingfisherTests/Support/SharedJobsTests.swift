import TestSupport
import Testing

@_spi(Server) @testable import Kingfisher

struct SharedJobsTests {
    struct Failure: Error {}

    @Test(.timeLimit(.minutes(1)))
    func `callers of one key share the work`() async throws {
        let jobs = SharedJobs<String, Int>()
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

    @Test(.timeLimit(.minutes(1)))
    func `one caller's cancel leaves the others their result`() async throws {
        let jobs = SharedJobs<String, Int>()
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

    @Test(.timeLimit(.minutes(1)))
    func `the last caller to leave cancels the work`() async throws {
        let jobs = SharedJobs<String, Int>()
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

    @Test(.timeLimit(.minutes(1)))
    func `a failure reaches every caller and is forgotten`() async throws {
        let jobs = SharedJobs<String, Int>()
        await #expect(throws: Failure.self) {
            try await jobs.value(for: "key") { throw Failure() }
        }
        #expect(try await jobs.value(for: "key") { 1 } == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a thousand random cancels leave no jobs`() async {
        let jobs = SharedJobs<Int, Int>()
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
}

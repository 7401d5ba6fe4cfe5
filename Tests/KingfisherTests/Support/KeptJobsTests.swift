import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct KeptJobsTests {
    struct Failure: Error {}

    @Test func `a result is kept until it is forgotten`() async throws {
        let jobs = KeptJobs<String, Int>()
        let runs = Locked(0)
        for _ in 0..<3 {
            let value = try await jobs.value(for: "key", urgency: Urgency()) { _ in
                runs.change { $0 += 1 }
                return runs.value
            }
            #expect(value == 1)
        }
        jobs.forget()
        let value = try await jobs.value(for: "key", urgency: Urgency()) { _ in 7 }
        #expect(value == 7)
    }

    @Test func `a failure is not kept`() async throws {
        let jobs = KeptJobs<String, Int>()
        await #expect(throws: Failure.self) {
            try await jobs.value(for: "key", urgency: Urgency()) { _ in throw Failure() }
        }
        #expect(try await jobs.value(for: "key", urgency: Urgency()) { _ in 7 } == 7)
    }

    @Test func `work is as urgent as its most urgent caller`() async throws {
        let jobs = KeptJobs<String, Float>()
        let gate = Gate()
        let work: @Sendable (Urgency) async throws -> Float = { urgency in
            await gate.wait()
            return urgency.priority
        }
        let calm = Urgency(0.2)
        let callers = [calm, Urgency(0.4), Urgency(0.3)].map { urgency in
            Task.immediate { try await jobs.value(for: "key", urgency: urgency, work) }
        }
        // An earlier caller becomes more urgent, as when another one joins the load that waits for
        // it.
        calm.raise(to: 0.9)
        gate.open()
        for caller in callers { #expect(try await caller.value == 0.9) }
    }
}

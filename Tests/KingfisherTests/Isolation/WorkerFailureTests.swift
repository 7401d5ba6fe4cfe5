import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// Which files are remembered for the failures of their workers.
struct WorkerFailureTests {
    private let time = Locked(ContinuousClock.now)
    private let failure = WorkerFailure.crashed(signal: 11)

    private func memory(capacity: Int = 1024) -> CrashMemory {
        CrashMemory(duration: .seconds(600), capacity: capacity, now: { [time] in time.value })
    }

    @Test func `a file is remembered for the time, and others are not`() {
        let memory = memory()
        memory.note(failure, of: Data("bad".utf8))
        #expect(memory.failure(of: Data("bad".utf8)) == failure)
        #expect(memory.failure(of: Data("odd".utf8)) == nil)
        time.change { $0 += .seconds(599) }
        #expect(memory.failure(of: Data("bad".utf8)) == failure)
        time.change { $0 += .seconds(1) }
        #expect(memory.failure(of: Data("bad".utf8)) == nil)
    }

    @Test func `requests without a file are not to blame for each other`() {
        let memory = memory()
        memory.note(failure, of: Data())
        #expect(memory.failure(of: Data()) == nil)
    }

    @Test func `the oldest file is forgotten for a new one`() {
        let memory = memory(capacity: 2)
        for name in ["a", "b", "c"] {
            memory.note(failure, of: Data(name.utf8))
            time.change { $0 += .seconds(1) }
        }
        let known = ["a", "b", "c"].filter { memory.failure(of: Data($0.utf8)) != nil }
        #expect(known == ["b", "c"])
    }
}

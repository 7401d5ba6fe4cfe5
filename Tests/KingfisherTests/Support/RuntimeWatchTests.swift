import Foundation
import TestSupport
import Testing

@_spi(Programs) @testable import Kingfisher

/// The watch for a program that no longer gets threads.
struct RuntimeWatchTests {
    private let time = Locked(Duration.zero)

    private let asleep = Locked<Set<Int32>>([])

    private func watch(refuses: Bool) -> RuntimeWatch {
        RuntimeWatch(
            threads: RefusingThreads { _ in refuses }.starter,
            asleep: { [asleep] in asleep.value },
            now: { [time] in time.value }
        )
    }

    @Test func `silence is a stall only while threads are refused`() {
        let (stuck, busy) = (watch(refuses: true), watch(refuses: false))
        time.change { $0 = .seconds(30) }
        #expect(stuck.stall() == nil)
        time.change { $0 = .seconds(31) }
        #expect(stuck.stall() == .silent(.seconds(31)))
        #expect(busy.stall() == nil)
        stuck.noteSign()
        #expect(stuck.stall() == nil)
    }

    @Test func `a time limit that does not fire is a stall only while threads are refused`() {
        let (stuck, busy) = (watch(refuses: true), watch(refuses: false))
        let limits = [stuck.addLimit(.seconds(5)), busy.addLimit(.seconds(5))]
        let later = stuck.addLimit(.seconds(9))
        time.change { $0 = .seconds(7) }
        #expect(stuck.stall() == nil)
        time.change { $0 = .seconds(8) }
        #expect(stuck.stall() == .overdue)
        #expect(busy.stall() == nil)
        stuck.removeLimit(limits[0])
        #expect(stuck.stall() == nil)
        time.change { $0 = .seconds(12) }
        #expect(stuck.stall() == .overdue)
        stuck.removeLimit(later)
        #expect(stuck.stall() == nil)
    }

    @Test func `a thread that sleeps at every look is a stall only while threads are refused`() {
        let (stuck, busy) = (watch(refuses: true), watch(refuses: false))
        func stall(at second: Int, asleep threads: Set<Int32>) -> RuntimeWatch.Stall? {
            time.change { $0 = .seconds(second) }
            asleep.change { $0 = threads }
            stuck.noteSign()
            busy.noteSign()
            #expect(busy.stall() == nil)
            return stuck.stall()
        }
        #expect(stall(at: 1, asleep: [7, 8]) == nil)
        // Another one sleeps from here on.
        #expect(stall(at: 20, asleep: [9]) == nil)
        #expect(stall(at: 50, asleep: [8, 9]) == nil)
        #expect(stall(at: 51, asleep: [9]) == .waiting(.seconds(31)))
        #expect(stall(at: 52, asleep: []) == nil)
        #expect(stall(at: 90, asleep: []) == nil)
    }

    @Test func `a thread that sleeps is found`() throws {
        let wakes = Locked(false)
        try ThreadStarter.system("kf-sleeper") {
            while !wakes.value { usleep(100_000) }
        }
        defer { wakes.change { $0 = true } }
        func names() -> Set<String> {
            let names = RuntimeWatch.threadsAsleep().map {
                try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8)
            }
            return Set(names.compactMap { $0?.trimmingCharacters(in: .newlines) })
        }
        // It wakes for a moment in every tenth of a second.
        while !names().contains("kf-sleeper") { sched_yield() }
        #expect(!names().contains("kf-memory-psi"))
    }

    @Test func `a watch without a thread is refused`() {
        #expect(throws: ThreadRefused(code: 11)) { try watch(refuses: true).start { _ in } }
    }
}

import TestSupport
import Testing

@_spi(Programs) @testable import Kingfisher

/// The watch for a program that no longer gets threads.
struct RuntimeWatchTests {
    private let time = Locked(Duration.zero)

    private func watch(refuses: Bool) -> RuntimeWatch {
        RuntimeWatch(threads: RefusingThreads { _ in refuses }.starter) { [time] in time.value }
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

    @Test func `a watch without a thread is refused`() {
        #expect(throws: ThreadRefused(code: 11)) { try watch(refuses: true).start { _ in } }
    }
}

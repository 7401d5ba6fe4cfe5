import TestSupport
import Testing

@testable import Kingfisher

struct CancellationLatchTests {
    @Test func `a cancel that comes first is kept`() {
        let latch = CancellationLatch()
        latch.cancel()
        let calls = Locked(0)
        latch.onCancel { calls.change { $0 += 1 } }
        let count = calls.value
        #expect(count == 1)
    }

    @Test func `a handler runs once`() {
        let latch = CancellationLatch()
        let calls = Locked(0)
        latch.onCancel { calls.change { $0 += 1 } }
        #expect(latch.cancel())
        #expect(!latch.cancel())
        let count = calls.value
        #expect(count == 1)
    }

    @Test func `nothing runs after the end`() {
        let latch = CancellationLatch()
        let calls = Locked(0)
        latch.onCancel { calls.change { $0 += 1 } }
        latch.finish()
        latch.cancel()
        let count = calls.value
        #expect(count == 0)
    }
}

import TestSupport
import Testing

@testable import Kingfisher

struct UrgentQueueTests {
    @Test func `the most urgent element comes first, and the oldest of equally urgent ones`() {
        var queue = UrgentQueue<String>()
        _ = queue.insert("first", priority: 0.5)
        _ = queue.insert("urgent", priority: 1)
        _ = queue.insert("second", priority: 0.5)
        #expect(queue.next() == "urgent")
        #expect(queue.next() == "first")
        #expect(queue.next() == "second")
        #expect(queue.next() == nil)
    }

    @Test func `a raised element comes before younger ones of its new priority`() {
        var queue = UrgentQueue<String>()
        let old = queue.insert("old", priority: 0)
        _ = queue.insert("young", priority: 1)
        queue.move(old, to: 0.5)
        queue.move(old, to: 1)
        #expect(queue.next() == "old")
        #expect(queue.next() == "young")
        #expect(queue.next() == nil)
    }

    @Test func `an element of less priority falls behind`() {
        var queue = UrgentQueue<String>()
        let gone = queue.insert("gone", priority: 1)
        _ = queue.insert("here", priority: 0.5)
        queue.move(gone, to: 0.1)
        queue.move(gone, to: .nan)
        #expect(queue.next() == "here")
        #expect(queue.next() == "gone")
        #expect(queue.next() == nil)
    }

    @Test func `a removed element does not come, and is removed once`() {
        var queue = UrgentQueue<String>()
        let number = queue.insert("gone", priority: 1)
        _ = queue.insert("here", priority: 0)
        #expect(queue.remove(number) == "gone")
        #expect(queue.remove(number) == nil)
        queue.move(number, to: 2)
        #expect(queue.next() == "here")
        #expect(queue.next() == nil)
    }

    @Test func `an incomparable priority counts as none`() {
        var queue = UrgentQueue<String>()
        _ = queue.insert("nothing", priority: .nan)
        _ = queue.insert("something", priority: 0.1)
        #expect(queue.next() == "something")
        #expect(queue.next() == "nothing")
    }

    @Test func `tens of thousands leave in order after random changes`() {
        var chance = SplitMix(seed: 7)
        var queue = UrgentQueue<UInt64>()
        var expected: [UInt64: Float] = [:]
        for number in 1...40_000 as ClosedRange<UInt64> {
            let priority = Float(Int.random(in: 0...8, using: &chance)) / 8
            #expect(queue.insert(number, priority: priority) == number)
            expected[number] = priority
            let other = UInt64.random(in: 1...number, using: &chance)
            if number % 3 == 0 {
                #expect(
                    (queue.remove(other) != nil) == (expected.removeValue(forKey: other) != nil)
                )
            } else if expected[other] != nil {
                let moved = Float(Int.random(in: 0...8, using: &chance)) / 8
                queue.move(other, to: moved)
                expected[other] = moved
            }
        }
        var left: [UInt64] = []
        while let number = queue.next() { left.append(number) }
        let order = expected.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
        #expect(left == order)
    }
}

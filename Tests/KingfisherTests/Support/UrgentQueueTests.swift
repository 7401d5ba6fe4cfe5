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

    @Test func `an element waits for a bounded number of more urgent ones`() {
        var queue = UrgentQueue<String>(patience: 32)
        for _ in 0..<2_703 { _ = queue.insert("now", priority: 0.5) }
        _ = queue.insert("soon", priority: 0.3)
        _ = queue.insert("gone", priority: 0.125)
        var turns: [String: Int] = [:]
        for turn in 1...2_000 {
            let next = queue.next() ?? ""
            if next != "now" { turns[next] = turn }
            _ = queue.insert("now", priority: 0.5)
        }
        #expect(turns["soon"].map { $0 <= 64 } == true)
        #expect(turns["gone"].map { $0 <= 128 } == true)
    }

    @Test func `an element that waited before more urgent ones came is not forgotten`() {
        var queue = UrgentQueue<String>(patience: 32)
        _ = queue.insert("gone", priority: 0)
        var turn = 0
        var next: String?
        while next != "gone", turn < 1_000 {
            _ = queue.insert("now", priority: 0.5)
            next = queue.next()
            turn += 1
        }
        #expect(turn <= 64)
    }

    @Test func `of a hundred turns at least 95 belong to the most urgent`() {
        var queue = UrgentQueue<Int>(patience: 32)
        for _ in 0..<1_000 {
            _ = queue.insert(0, priority: 0)
            _ = queue.insert(1, priority: 1)
        }
        let urgent = (0..<800).reduce(0) { count, _ in count + (queue.next() ?? 0) }
        #expect(urgent >= 760)
    }

    @Test func `owners take turns, and the most urgent element comes first all the same`() {
        let (one, other) = (Owner(), Owner())
        var queue = UrgentQueue<String>()
        for number in 1...400 {
            _ = queue.insert("a\(number)", priority: 0.5, owner: ObjectIdentifier(one))
        }
        #expect(queue.next() == "a1")
        _ = queue.insert("b1", priority: 0.5, owner: ObjectIdentifier(other))
        _ = queue.insert("b2", priority: 0.5, owner: ObjectIdentifier(other))
        _ = queue.insert("a0", priority: 1, owner: ObjectIdentifier(one))
        let next = (0..<6).compactMap { _ in queue.next() }
        #expect(next == ["a0", "b1", "a2", "b2", "a3", "a4"])
        withExtendedLifetime((one, other)) {}
    }

    private final class Owner {}

    @Test(arguments: [nil, 2, 32] as [UInt64?])
    func `every element leaves once, whatever the turns`(patience: UInt64?) {
        var chance = SplitMix(seed: 3)
        let owners = (0..<3).map { _ in Owner() }
        var queue = UrgentQueue<UInt64>(patience: patience)
        var expected: Set<UInt64> = []
        var left: [UInt64] = []
        for number in 1...20_000 as ClosedRange<UInt64> {
            let priority = Float(Int.random(in: 0...3, using: &chance)) / 3
            let owner = owners.randomElement(using: &chance).map { ObjectIdentifier($0) }
            #expect(queue.insert(number, priority: priority, owner: owner) == number)
            expected.insert(number)
            let other = UInt64.random(in: 1...number, using: &chance)
            switch number % 4 {
            case 0: if queue.remove(other) != nil { #expect(expected.remove(other) != nil) }
            case 1: queue.move(other, to: Float(Int.random(in: 0...3, using: &chance)) / 3)
            case 2: if let next = queue.next() { left.append(next) }
            default: break
            }
        }
        while let next = queue.next() { left.append(next) }
        #expect(Set(left) == expected)
        #expect(left.count == expected.count)
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

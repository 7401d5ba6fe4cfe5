import TestSupport
import Testing

@testable import Kingfisher

struct HeapTests {
    @Test func `elements leave in order, whatever was dropped in between`() {
        var heap = Heap<Int>()
        var chance = SystemRandomNumberGenerator()
        let numbers = (0..<1_000).shuffled(using: &chance)
        for number in numbers { heap.insert(number) }
        #expect(heap.first == 0)
        heap.keep { $0 % 3 != 0 }
        var left: [Int] = []
        while let least = heap.removeFirst() { left.append(least) }
        #expect(left == (0..<1_000).filter { $0 % 3 != 0 })
        #expect(heap.first == nil)
    }

    @Test func `tens of thousands cost a logarithm of comparisons each`() {
        Counted.comparisons.change { $0 = 0 }
        var heap = Heap<Counted>()
        for number in 0..<40_000 { heap.insert(Counted(value: number &* 7_919 % 40_000)) }
        while heap.removeFirst() != nil {}
        // Two comparisons for each of at most sixteen levels, for insertion and removal.
        #expect(Counted.comparisons.value < 40_000 * 2 * 2 * 16)
    }

    private struct Counted: Comparable {
        static let comparisons = Locked(0)
        let value: Int

        static func < (a: Counted, b: Counted) -> Bool {
            comparisons.change { $0 += 1 }
            return a.value < b.value
        }
    }
}

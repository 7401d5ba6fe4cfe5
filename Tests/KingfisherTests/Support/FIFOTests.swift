import TestSupport
import Testing

@testable import Kingfisher

struct FIFOTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `a queue behaves like an array`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        var queue = FIFO<Int>()
        var dropped: [FIFO<Int>.Chunk] = []
        var model: [Int] = []
        for step in 0..<20_000 {
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<5 where step % 9_000 < 6_000:
                queue.append(step)
                model.append(step)
            case 7:
                guard step % 50 == 0 else { continue }
                let rest = Int.random(in: 2..<9, using: &random)
                // One chunk in each call, and each chunk has an element.
                for _ in 0...queue.count { queue.sweepChunk(&dropped) { $0 % rest == 0 } }
                model.removeAll { $0 % rest == 0 }
            case 6:
                #expect(queue.popLast(&dropped) == model.popLast())
            default:
                let first = queue.popFirst()
                #expect(first == model.first)
                if !model.isEmpty { model.removeFirst() }
            }
            #expect(queue.first == model.first)
            #expect(queue.count == model.count)
        }
        queue.removeAll()
        #expect(queue.isEmpty)
        #expect(queue.popFirst() == nil)
    }

    @Test func `sweeping takes a chunk at a time and counts what is left`() {
        var queue = FIFO<Int>()
        var dropped: [FIFO<Int>.Chunk] = []
        for number in 0..<10_000 { queue.append(number) }
        for _ in 0..<100 { _ = queue.popFirst() }
        var examined = 0
        queue.sweepChunk(&dropped) { number in
            examined += 1
            return number % 2 == 0
        }
        #expect(examined < 1_000)
        #expect(queue.count == 9_900 - examined / 2)
        for _ in 0..<30 { queue.sweepChunk(&dropped) { $0 % 2 == 0 } }
        #expect(queue.count == 4_950)
        var rest: [Int] = []
        while let next = queue.popFirst() { rest.append(next) }
        #expect(rest == Array(stride(from: 101, to: 10_000, by: 2)))
    }
    @Test func `memory that is no longer needed is handed on`() {
        var queue = FIFO<Int>()
        var dropped: [FIFO<Int>.Chunk] = []
        for number in 0..<10_000 { queue.append(number) }
        for _ in 0..<5_000 { _ = queue.popFirst(&dropped) }
        let popped = dropped.count
        #expect(popped == 9)
        for _ in 0..<30 { queue.sweepChunk(&dropped) { _ in true } }
        #expect(queue.isEmpty)
        // All but the one that stays.
        #expect(dropped.count == 19)
    }
}

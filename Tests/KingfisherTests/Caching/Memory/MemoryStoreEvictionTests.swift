import Foundation
import KingfisherTesting
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// Evictions of many entries, and evictions while others read.
@Suite(.timeLimit(.minutes(1)))
struct MemoryStoreEvictionTests {
    private final class Picture: Sendable {}

    private func key(_ number: Int) -> CacheKey { CacheKey("https://example.com/\(number).png") }

    private func evict(_ way: Int, from store: MemoryStore, to cost: Int) {
        switch way {
        case 0: store.limits = .init(cost: cost)
        case 1: store.shrink(toCost: cost)
        default:
            let large = store.limits.cost - cost
            store.store(Picture(), for: CacheKey("large"), cost: large, expiration: .never)
        }
    }

    @Test(arguments: 0..<3)
    func `each of many evictions takes the same time, though the objects are alive`(way: Int) {
        let store = MemoryStore(limits: .init(cost: 60_000))
        let alive = (0..<30_000).map { _ in Picture() }
        for (number, picture) in alive.enumerated() {
            store.store(picture, for: key(number), cost: 2, expiration: .never)
        }
        // Quadratic work takes minutes in a debug build, and reaches the time limit.
        evict(way, from: store, to: 1_000)
        #expect(store.totalCost <= 60_000)
        #expect(store.statistics.evictions == 29_500)
        // The objects evicted last can be found again.
        let found = alive.indices.filter { store.contains(key($0)) }
        #expect((500..<20_000).contains(found.count))
        withExtendedLifetime(alive) {}
    }

    @Test func `a lookup does not do the work of a lowered limit`() throws {
        let store = MemoryStore(limits: .init(cost: 5_000))
        let alive = (0..<6_000).map { _ in Picture() }
        for (number, picture) in alive.enumerated() {
            store.store(picture, for: key(number), cost: 1, expiration: .never)
        }
        // As it is while another thread, which has lowered the limit, evicts.
        store.queues.withLock { $0.costLimit = 10 }
        let evicted = try #require(
            alive.indices.first { number in
                if case .evicted = store.finding(for: key(number)) { true } else { false }
            }
        )
        for _ in 0..<2 {
            let before = store.count
            #expect(store.object(for: key(evicted)) === alive[evicted])
            #expect(before - store.count <= MemoryStore.batchSize)
        }
        #expect(store.count > 4_000)
        withExtendedLifetime(alive) {}
    }

    @Test func `MEM-11: objects that cost next to nothing are limited, too`() {
        let store = MemoryStore(limits: .init(cost: 20 << 20))
        for number in 0..<60_000 {
            store.store(Picture(), for: key(number), cost: number % 2, expiration: .never)
        }
        #expect(store.count <= 40_960)
        #expect(store.count > 30_000)
        #expect(store.statistics.evictedForCount > 0)
    }

    /// Reports the number of entries that its store has left when it ends.
    private final class Witness: Sendable {
        let store: MemoryStore
        let counts: Locked<[Int]>

        init(_ store: MemoryStore, _ counts: Locked<[Int]>) {
            self.store = store
            self.counts = counts
        }

        deinit { counts.change { [store] in $0.append(store.count) } }
    }

    @Test(arguments: 0..<3)
    func `others have their turn while many entries are evicted`(way: Int) {
        let store = MemoryStore(limits: .init(cost: 10_000))
        let counts = Locked<[Int]>([])
        for number in 0..<10_000 {
            store.store(Witness(store, counts), for: key(number), cost: 1, expiration: .never)
        }
        evict(way, from: store, to: 0)
        #expect(counts.value.count == 10_000)
        // The objects of a batch end together, which takes less than a millisecond.
        #expect(MemoryStore.batchSize <= 256)
        #expect(Set(counts.value).count >= 10_000 / MemoryStore.batchSize)
        #expect(counts.value.first ?? 0 >= 10_000 - MemoryStore.batchSize)
    }

    @Test func `others have their turn while many entries expire`() {
        let clock = ManualClock()
        let store = MemoryStore(limits: .init(cost: 10_000), clock: clock.clock)
        let counts = Locked<[Int]>([])
        for number in 0..<10_000 {
            let witness = Witness(store, counts)
            store.store(witness, for: key(number), cost: 1, expiration: .seconds(1))
        }
        clock.advance(by: 2)
        store.removeExpired()
        #expect(counts.value.count == 10_000)
        #expect(Set(counts.value).count >= 16)
        #expect(store.count == 0)
        #expect(store.statistics.expired == 10_000)
        store.store(Picture(), for: key(0), cost: 10_000, expiration: .never)
        #expect(store.count == 1)
    }

    /// Threads that read keys until the work is done.
    private static func whileReading(
        _ keys: [CacheKey],
        from store: MemoryStore,
        _ work: () -> Void
    ) {
        let isOver = Locked(false)
        let readers = DispatchGroup()
        for _ in 0..<8 {
            readers.enter()
            Thread.detachNewThread {
                while !isOver.value {
                    for key in keys { _ = store.object(for: key) }
                }
                readers.leave()
            }
        }
        work()
        isOver.change { $0 = true }
        readers.wait()
    }

    @Test func `MEM-11: the limits hold after each store, however many read meanwhile`() {
        let store = MemoryStore(limits: .init(cost: 100, count: 2), remembersEvicted: false)
        let keys = (0..<40).map(key)
        var excesses = 0
        Self.whileReading(keys, from: store) {
            for number in 0..<2_000 {
                store.store(Picture(), for: keys[number % 40], cost: 1, expiration: .never)
                if store.count > 2 { excesses += 1 }
            }
        }
        #expect(excesses == 0)
    }

    @Test func `costs at the end of the range do not overflow, however many read meanwhile`() async
    {
        await #expect(processExitsWith: .success) {
            let store = MemoryStore(limits: .init(cost: .max), remembersEvicted: false)
            let keys = (0..<40).map { CacheKey("\($0)") }
            MemoryStoreEvictionTests.whileReading(keys, from: store) {
                for number in 0..<2_000 {
                    let cost = number % 7 == 0 ? Int.max : Int.max / 2 - 1
                    store.store(Picture(), for: keys[number % 40], cost: cost, expiration: .never)
                }
                store.shrink(toCost: 0)
            }
            precondition(store.totalCost == 0)
        }
    }
}

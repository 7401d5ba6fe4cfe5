import Foundation
import KingfisherTesting
import Synchronization
import Testing

@testable import Kingfisher

struct MemoryStoreTests {
    private let clock = ManualClock()

    private func store(cost: Int = 100, count: Int = .max) -> MemoryStore {
        MemoryStore(limits: .init(cost: cost, count: count), clock: clock.clock)
    }

    private func key(_ number: Int) -> CacheKey { CacheKey("https://example.com/\(number).png") }

    private func fill(_ store: MemoryStore, _ numbers: some Sequence<Int>, cost: Int = 10) {
        for number in numbers {
            store.store(number, for: key(number), cost: cost, expiration: .seconds(300))
        }
    }

    @Test func `a stored value is found with its tag`() {
        let store = store()
        store.store(7, for: key(7), cost: 10, tag: 3, expiration: .never)
        #expect(store.value(for: key(7)) == 7)
        #expect(store.hit(for: key(7))?.tag == 3)
        #expect(store.value(for: key(8)) == nil)
        #expect(store.statistics.hits == 2)
        #expect(store.statistics.absences == 1)
    }

    @Test func `a value of a key that divides elsewhere is one miss`() {
        let store = store()
        let key = CacheKey("a@b@c", division: KeyDivision(offset: 3))
        store.store(1, for: key, cost: 10, expiration: .never)
        #expect(store.value(for: CacheKey("a@b@c", division: .atFirst)) == nil)
        #expect(store.statistics.absences == 1)
        #expect(store.statistics.hits == 0)
        #expect(store.value(for: key) == 1)
    }

    @Test func `MEM-3: an already expired rule stores nothing and overwrites nothing`() {
        let store = store()
        store.store(1, for: key(1), cost: 10, expiration: .never)
        store.store(2, for: key(1), cost: 10, expiration: .expired)
        #expect(store.value(for: key(1)) == 1)
    }

    @Test func `MEM-3: overwriting replaces value, cost and rule`() {
        let store = store()
        store.store(1, for: key(1), cost: 10, expiration: .seconds(5))
        store.store(2, for: key(1), cost: 30, expiration: .never)
        clock.advance(by: 10)
        #expect(store.value(for: key(1)) == 2)
        #expect(store.totalCost == 30)
        #expect(store.count == 1)
    }

    @Test func `MEM-4, MEM-8: an expired value is a miss but stays resident`() {
        let store = store()
        store.store(1, for: key(1), cost: 10, expiration: .seconds(5))
        clock.advance(by: 5)
        #expect(store.value(for: key(1)) == nil)
        #expect(!store.contains(key(1)))
        #expect(store.count == 1)
        #expect(store.totalCost == 10)
        #expect(store.statistics.staleReads == 1)
        #expect(store.statistics.misses == 1)
    }

    @Test func `MEM-5: a read starts the entry's own rule again`() {
        let store = store()
        fill(store, [1])
        clock.advance(by: 200)
        #expect(store.value(for: key(1)) == 1)
        clock.advance(by: 200)
        #expect(store.contains(key(1)))
    }

    @Test func `MEM-5: another rule of a read changes the date only`() {
        let store = store()
        fill(store, [1])
        #expect(store.value(for: key(1), extending: .expirationTime(.seconds(1_000))) == 1)
        clock.advance(by: 900)
        #expect(store.value(for: key(1), extending: .cacheTime) == 1)
        clock.advance(by: 299)
        #expect(store.contains(key(1)))
        clock.advance(by: 1)
        #expect(!store.contains(key(1)))
    }

    @Test func `MEM-5, MEM-7: neither a plain read nor a probe extends`() {
        let store = store()
        fill(store, [1])
        clock.advance(by: 200)
        #expect(store.value(for: key(1), extending: .none) == 1)
        #expect(store.contains(key(1)))
        clock.advance(by: 100)
        #expect(!store.contains(key(1)))
    }

    @Test func `MEM-6: a fixed date is never extended by the entry's own rule`() {
        let store = store()
        let date = Date(timeIntervalSinceReferenceDate: clock.now + 10)
        store.store(1, for: key(1), cost: 1, expiration: .date(date))
        clock.advance(by: 5)
        #expect(store.value(for: key(1)) == 1)
        clock.advance(by: 5)
        #expect(!store.contains(key(1)))
    }

    @Test func `MEM-9: a sweep removes what has expired`() {
        let store = store()
        store.store(1, for: key(1), cost: 10, expiration: .seconds(5))
        store.store(2, for: key(2), cost: 20, expiration: .seconds(50))
        clock.advance(by: 5)
        store.removeExpired()
        #expect(store.count == 1)
        #expect(store.totalCost == 20)
        #expect(store.statistics.expired == 1)
    }

    @Test func `MEM-9: a rule that a read shortened is swept in time`() {
        let store = store()
        store.store(1, for: key(1), cost: 10, expiration: .never)
        store.removeExpired()
        _ = store.value(for: key(1), extending: .expirationTime(.seconds(1)))
        clock.advance(by: 1)
        store.removeExpired()
        #expect(store.count == 0)
    }

    @Test func `MEM-11: both limits hold and the newest can be read`() {
        let store = store(cost: 55, count: 4)
        for number in 0..<200 {
            fill(store, [number], cost: number % 30)
            #expect(store.totalCost <= 55)
            #expect(store.count <= 4)
            #expect(store.value(for: key(number), extending: .none) == number)
        }
        #expect(store.statistics.evictedForCost > 0)
        #expect(store.statistics.evictedForCount > 0)
    }

    @Test func `MEM-11: a value that alone exceeds the limit is not kept`() {
        let store = store(cost: 55)
        fill(store, [1, 2])
        store.store(3, for: key(1), cost: 56, expiration: .never)
        #expect(store.value(for: key(1)) == nil)
        #expect(store.value(for: key(2)) == 2)
        #expect(store.totalCost == 10)
        #expect(store.statistics.oversized == 1)
    }

    @Test func `extreme costs overflow nothing`() {
        let store = store(cost: .max)
        store.store(1, for: key(1), cost: .max, expiration: .never)
        store.store(2, for: key(2), cost: .max - 1, expiration: .never)
        store.store(3, for: key(3), cost: .min, expiration: .never)
        #expect(store.value(for: key(1)) == nil)
        #expect(store.totalCost == .max - 1)
        #expect(store.count == 2)
    }

    @Test func `what was read once survives a scan of strangers`() {
        let store = store(cost: 100)
        fill(store, 0..<5)
        for number in 0..<5 { _ = store.value(for: key(number)) }
        fill(store, 100..<200)
        let survivors = (0..<5).filter { store.contains(key($0)) }
        #expect(survivors == [0, 1, 2, 3, 4])
    }

    @Test func `a key that comes back soon goes to the main queue`() {
        let store = store(cost: 100)
        fill(store, 0..<11)
        #expect(!store.contains(key(0)))
        fill(store, [0])
        fill(store, 100..<140)
        #expect(store.contains(key(0)))
    }

    @Test func `an overwritten entry that grows stays and pushes others out`() {
        let store = store(cost: 100)
        fill(store, 0..<10)
        fill(store, [0], cost: 95)
        #expect(store.contains(key(0)))
        #expect(store.totalCost == 95)
        #expect(store.count == 1)
        fill(store, [1], cost: 5)
        #expect(store.totalCost == 100)
    }

    @Test func `new limits apply at once`() {
        let store = store(cost: 100)
        fill(store, 0..<10)
        store.limits = .init(cost: 35)
        #expect(store.totalCost == 30)
        store.limits = .init(cost: 35, count: 1)
        #expect(store.count == 1)
        store.limits = .init(cost: 0, count: 0)
        #expect(store.count == 0)
    }

    @Test func `shrinking evicts down to the cost that is asked for`() {
        let store = store(cost: 100)
        fill(store, 0..<10)
        store.shrink(toCost: 45)
        #expect(store.totalCost == 40)
        #expect(store.statistics.evictedForPressure == 6)
        store.shrink(toCost: -1)
        #expect(store.totalCost == 0)
        #expect(store.limits.cost == 100)
    }

    @Test func `removing takes one or all`() {
        let store = store()
        fill(store, 0..<5)
        store.remove(key(1))
        store.remove(key(99))
        #expect(!store.contains(key(1)))
        #expect(store.totalCost == 40)
        store.removeAll()
        #expect(store.count == 0)
        #expect(store.totalCost == 0)
    }

    @Test func `a store that only adds and removes does not grow`() {
        let store = store()
        for number in 0..<10_000 {
            fill(store, [number])
            store.remove(key(number))
        }
        let queued = store.queues.withLock { $0.small.count + $0.main.count }
        #expect(queued <= 66)
    }
}

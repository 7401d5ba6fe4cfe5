import KingfisherTesting
import Testing

@testable import Kingfisher

struct MemoryStoreSecondLevelTests {
    private final class Picture: Sendable {}

    private let clock = ManualClock()

    private func store() -> MemoryStore<Picture> {
        MemoryStore(limits: .init(cost: 10), clock: clock.clock)
    }

    @Test func `an evicted object that is in use elsewhere is found and resident again`() {
        let store = store()
        let shown = Picture()
        store.store(shown, for: CacheKey("shown"), cost: 10, tag: 9, expiration: .seconds(60))
        store.store(Picture(), for: CacheKey("other"), cost: 10, expiration: .seconds(60))
        #expect(store.statistics.evictedForCost == 1)
        #expect(store.contains(CacheKey("shown")))
        let hit = store.hit(for: CacheKey("shown"))
        #expect(hit?.value === shown)
        #expect(hit?.tag == 9)
        #expect(store.statistics.revivals == 1)
        #expect(store.totalCost == 10)
        #expect(!store.contains(CacheKey("other")))
    }

    @Test func `an evicted object that nobody uses is gone`() {
        let store = store()
        store.store(Picture(), for: CacheKey("first"), cost: 10, expiration: .seconds(60))
        store.store(Picture(), for: CacheKey("other"), cost: 10, expiration: .seconds(60))
        #expect(store.value(for: CacheKey("first")) == nil)
        #expect(store.statistics.misses == 1)
    }

    @Test func `removed, cleared and expired objects are not found, in use or not`() {
        let store = store()
        let pictures = (0..<4).map { _ in Picture() }
        for (number, picture) in pictures.enumerated() {
            store.store(picture, for: CacheKey("\(number)"), cost: 10, expiration: .seconds(60))
        }
        store.remove(CacheKey("0"))
        #expect(!store.contains(CacheKey("0")))
        #expect(store.contains(CacheKey("1")))
        clock.advance(by: 60)
        #expect(store.value(for: CacheKey("1")) == nil)
        store.removeAll()
        clock.advance(by: -60)
        #expect(store.value(for: CacheKey("2")) == nil)
    }

    @Test func `storing again replaces what was remembered`() {
        let store = store()
        let old = Picture()
        let new = Picture()
        store.store(old, for: CacheKey("a"), cost: 10, expiration: .never)
        store.store(Picture(), for: CacheKey("b"), cost: 10, expiration: .never)
        store.store(new, for: CacheKey("a"), cost: 10, expiration: .never)
        store.store(Picture(), for: CacheKey("b"), cost: 10, expiration: .never)
        #expect(store.value(for: CacheKey("a")) === new)
    }

    @Test func `an end of a value may use the store`() {
        final class Talkative: Sendable {
            let store: MemoryStore<Talkative>
            init(store: MemoryStore<Talkative>) { self.store = store }
            deinit { store.removeExpired() }
        }
        let store = MemoryStore<Talkative>(limits: .init(cost: 10), clock: clock.clock)
        for number in 0..<5 {
            let value = Talkative(store: store)
            store.store(value, for: CacheKey("\(number)"), cost: 10, expiration: .never)
        }
        store.removeAll()
        #expect(store.count == 0)
    }
}

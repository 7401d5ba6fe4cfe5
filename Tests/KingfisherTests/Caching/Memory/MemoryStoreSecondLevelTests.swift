import Dispatch
import Foundation
import KingfisherTesting
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

struct MemoryStoreSecondLevelTests {
    private final class Picture: Sendable {}

    private let clock = ManualClock()

    private func store() -> MemoryStore {
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
        #expect(hit?.object === shown)
        #expect(hit?.tag == 9)
        #expect(store.statistics.revivals == 1)
        #expect(store.totalCost == 10)
        #expect(!store.contains(CacheKey("other")))
    }

    @Test func `an evicted object that is not used is gone`() {
        let store = store()
        store.store(Picture(), for: CacheKey("first"), cost: 10, expiration: .seconds(60))
        store.store(Picture(), for: CacheKey("other"), cost: 10, expiration: .seconds(60))
        #expect(store.object(for: CacheKey("first")) == nil)
        #expect(store.statistics.misses == 1)
    }

    // Asking for what was evicted once ended the process, in release builds by Swift 6.2.
    @Test func `a storage finds evicted values of any class, in use or not`() {
        class Animal: CacheCostCalculable, @unchecked Sendable {
            // `@unchecked`: the class is open to subclasses and has no state.
            var cacheCost: Int { 1 }
        }
        final class Cat: Animal, @unchecked Sendable {}
        let backend = MemoryStorage.Backend<Animal>(
            config: .init(totalCostLimit: 1),
            clock: clock.clock
        )
        let shown = Cat()
        backend.store(value: shown, forKey: "shown")
        backend.store(value: Cat(), forKey: "gone")
        backend.store(value: Animal(), forKey: "resident")
        #expect(backend.isCached(forKey: "shown"))
        #expect(!backend.isCached(forKey: "gone"))
        #expect(backend.value(forKey: "gone") == nil)
        #expect(backend.value(forKey: "shown") === shown)
        #expect(backend.value(forKey: "gone") == nil)
        #expect(backend.statistics.revivals == 1)
    }

    @Test func `an image that is evicted is found as long as a view shows it`() {
        let backend = MemoryStorage.Backend<KFCrossPlatformImage>(
            config: .init(totalCostLimit: 100),
            clock: clock.clock
        )
        func picture() -> KFCrossPlatformImage {
            KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 5, height: 5))
        }
        var shown: KFCrossPlatformImage? = picture()
        backend.store(value: picture(), forKey: "other")
        if let shown { backend.store(value: shown, forKey: "shown") }
        backend.store(value: picture(), forKey: "third")
        backend.store(value: picture(), forKey: "fourth")
        #expect(backend.value(forKey: "other") == nil)
        #expect(backend.value(forKey: "shown") === shown)
        backend.store(value: picture(), forKey: "fifth")
        backend.store(value: picture(), forKey: "sixth")
        shown = nil
        backend.store(value: picture(), forKey: "seventh")
        #expect(backend.value(forKey: "shown") == nil)
    }

    @Test func `an evicted value that is no object is gone`() {
        struct Number: CacheCostCalculable, Sendable {
            let cacheCost = 1
        }
        let backend = MemoryStorage.Backend<Number>(
            config: .init(totalCostLimit: 1),
            clock: clock.clock
        )
        backend.store(value: Number(), forKey: "evicted")
        backend.store(value: Number(), forKey: "resident")
        #expect(backend.value(forKey: "evicted") == nil)
        #expect(backend.value(forKey: "resident") != nil)
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
        #expect(store.object(for: CacheKey("1")) == nil)
        store.removeAll()
        clock.advance(by: -60)
        #expect(store.object(for: CacheKey("2")) == nil)
    }

    @Test func `storing again replaces what was remembered`() {
        let store = store()
        let old = Picture()
        let new = Picture()
        store.store(old, for: CacheKey("a"), cost: 10, expiration: .never)
        store.store(Picture(), for: CacheKey("b"), cost: 10, expiration: .never)
        store.store(new, for: CacheKey("a"), cost: 10, expiration: .never)
        store.store(Picture(), for: CacheKey("b"), cost: 10, expiration: .never)
        #expect(store.object(for: CacheKey("a")) === new)
    }

    @Test func `an end of a value may use the store`() {
        final class Talkative: Sendable {
            let store: MemoryStore
            init(store: MemoryStore) { self.store = store }
            deinit { store.removeExpired() }
        }
        let store = MemoryStore(limits: .init(cost: 10), clock: clock.clock)
        for number in 0..<5 {
            let value = Talkative(store: store)
            store.store(value, for: CacheKey("\(number)"), cost: 10, expiration: .never)
        }
        store.removeAll()
        #expect(store.count == 0)
    }

    // The reference that a lookup or a sweep takes to see whether an object is alive can be the
    // last one by the time that it is let go of; if that is under a lock, the end waits for itself.
    @Test(.timeLimit(.minutes(1)))
    func `an object whose last reference a lookup has may use the store as it ends`() async {
        await #expect(processExitsWith: .success) {
            let store = MemoryStore(limits: .init(cost: 10))
            for _ in 0..<2_000 {
                let shown = Screen(pictures: 1, store: store)
                shown.leaveBehindUs { while store.contains(CacheKey("0")) {} }
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an object whose last reference a sweep has may use the store as it ends`() async {
        await #expect(processExitsWith: .success) {
            let store = MemoryStore(limits: .init(cost: 10))
            for _ in 0..<100 {
                let shown = Screen(pictures: 200, store: store)
                shown.leaveBehindUs {
                    while (0..<200).contains(where: { store.contains(CacheKey("\($0)")) }) {
                        store.removeExpired()
                    }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `an object whose last reference a note has may use the store as it ends`() async {
        await #expect(processExitsWith: .success) {
            let store = MemoryStore(limits: .init(cost: 10))
            let other = Picture()
            for _ in 0..<2_000 {
                let shown = Screen(pictures: 1, store: store)
                shown.leaveBehindUs {
                    while store.contains(CacheKey("0")) {
                        for _ in 0..<10 { _ = store.note(of: other, for: CacheKey("0")) }
                    }
                }
            }
        }
    }

    /// Pictures that were evicted and are shown, each of which asks the store for itself as it ends.
    private final class Screen: Sendable {
        private final class Picture: Sendable {
            let store: MemoryStore
            let key: CacheKey

            init(store: MemoryStore, key: CacheKey) {
                self.store = store
                self.key = key
            }

            deinit { _ = store.contains(key) }
        }

        private let pictures: Mutex<[Picture]>

        init(pictures count: Int, store: MemoryStore) {
            let pictures = (0..<count).map { Picture(store: store, key: CacheKey("\($0)")) }
            for picture in pictures {
                store.store(picture, for: picture.key, cost: 10, expiration: .never)
            }
            store.store(0, for: CacheKey("none of them"), cost: 10, expiration: .never)
            self.pictures = Mutex(pictures)
        }

        /// Lets go of the pictures, one by one, on another thread while `work` runs.
        func leaveBehindUs(_ work: () -> Void) {
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [self] in
                while let last = pictures.withLock({ $0.popLast() }) {
                    withExtendedLifetime(last) {}
                }
                isOver.signal()
            }
            work()
            isOver.wait()
        }
    }
}

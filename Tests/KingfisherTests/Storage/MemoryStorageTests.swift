import KingfisherTesting
import Testing

@testable import Kingfisher

struct MemoryStorageTests {
    private struct Value: CacheCostCalculable, Equatable, Sendable {
        var cacheCost = 1
    }

    private let clock = ManualClock()

    private func backend(limit: Int = 3) -> MemoryStorage.Backend<Value> {
        MemoryStorage.Backend(config: .init(totalCostLimit: limit), clock: clock.clock)
    }

    @Test func `MEM-1: the settings have the defaults of the specification`() {
        let config = MemoryStorage.Config(totalCostLimit: 10)
        #expect(config.countLimit == .max)
        #expect(config.cleanInterval == 120)
        #expect(!config.keepWhenEnteringBackground)
        guard case .seconds(300) = config.expiration else {
            Issue.record("the default expiration is \(config.expiration)")
            return
        }
    }

    @Test func `MEM-2: new settings apply limits and restart the sweep`() {
        let backend = backend()
        for key in ["a", "b", "c"] { backend.store(value: Value(), forKey: key) }
        #expect(clock.timerIntervals == [120])
        backend.config.countLimit = 1
        backend.config.cleanInterval = 5
        #expect(backend.totalCacheCost() == 1)
        #expect(clock.timerIntervals == [5])
        backend.config.cleanInterval = 0
        #expect(clock.timerIntervals == [])
    }

    @Test func `W-25: the sweep comes by itself and ends with the storage`() {
        var backend: MemoryStorage.Backend<Value>? = backend()
        backend?.store(value: Value(), forKey: "a", expiration: .seconds(100))
        clock.advance(by: 119)
        #expect(backend?.totalCacheCost() == 1)
        clock.advance(by: 1)
        #expect(backend?.totalCacheCost() == 0)
        backend = nil
        #expect(clock.timerIntervals == [])
    }

    @Test func `values come and go by key`() {
        let backend = backend()
        backend.store(value: Value(cacheCost: 2), forKey: "a")
        #expect(backend.value(forKey: "a") == Value(cacheCost: 2))
        #expect(backend.isCached(forKey: "a"))
        backend.remove(forKey: "a")
        #expect(backend.value(forKey: "a") == nil)
        backend.store(value: Value(), forKey: "b")
        backend.removeAll()
        #expect(!backend.isCached(forKey: "b"))
    }

    @Test func `MEM-9: expired values can be removed by hand`() {
        let backend = backend()
        backend.store(value: Value(), forKey: "a", expiration: .seconds(1))
        clock.advance(by: 1)
        #expect(backend.totalCacheCost() == 1)
        backend.removeExpired()
        #expect(backend.totalCacheCost() == 0)
    }
}

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

    @Test(arguments: [1e-300, .leastNonzeroMagnitude, 1e300, .greatestFiniteMagnitude, .nan, -1])
    func `an interval that no timer can have is no crash`(interval: Double) {
        let config = MemoryStorage.Config(totalCostLimit: 10, cleanInterval: interval)
        let backend = MemoryStorage.Backend<Value>(config: config)
        backend.store(value: Value(), forKey: "a")
        #expect(backend.isCached(forKey: "a"))
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

    @Test
    func `MEM-10: the cost counts what has expired, not what was evicted, and extends nothing`() {
        let backend = backend(limit: 5)
        backend.store(value: Value(cacheCost: 3), forKey: "a", expiration: .seconds(10))
        backend.store(value: Value(cacheCost: 2), forKey: "b", expiration: .seconds(10))
        #expect(backend.totalCacheCost() == 5)
        clock.advance(by: 10)
        #expect(!backend.isCached(forKey: "a"))
        #expect(backend.totalCacheCost() == 5)
        backend.store(value: Value(cacheCost: 4), forKey: "c")
        #expect(backend.totalCacheCost() == 4)
    }

    @Test func `MEM-12: the background, which Linux knows none of, changes nothing`() {
        let backend = backend()
        backend.config.keepWhenEnteringBackground = true
        backend.store(value: Value(), forKey: "a")
        backend.config.keepWhenEnteringBackground = false
        #expect(backend.isCached(forKey: "a"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `MEM-13: every operation may come from any thread`() async {
        let backend = backend(limit: 50)
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<500 {
                        let key = "\((step * 7 + task) % 40)"
                        switch step % 9 {
                        case 0..<3: backend.store(value: Value(cacheCost: step % 3), forKey: key)
                        case 3: backend.remove(forKey: key)
                        case 4: backend.removeExpired()
                        case 5: backend.config.countLimit = 20 + step % 10
                        case 6 where step % 200 == 6: backend.removeAll()
                        default: _ = backend.value(forKey: key)
                        }
                    }
                }
            }
        }
        #expect(backend.totalCacheCost() <= 50)
        let statistics = backend.statistics
        #expect(statistics.count <= 29)
        #expect(statistics.hits + statistics.misses > 0)
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

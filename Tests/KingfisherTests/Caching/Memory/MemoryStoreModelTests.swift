import Foundation
import KingfisherTesting
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// Random operations against a dictionary with the rules of the specification.
struct MemoryStoreModelTests {
    private struct Model {
        struct Entry {
            var value: Int
            var cost: Int
            var rule: StorageExpiration
            var expiry: TimeInterval
        }

        var entries: [Int: Entry] = [:]
        var cost: Int { entries.values.reduce(0) { $0 + $1.cost } }
    }

    private static let rules: [StorageExpiration] = [
        .never, .seconds(30), .seconds(3), .days(1), .expired, .seconds(0),
        .date(Date(timeIntervalSinceReferenceDate: 1_002_000)),
    ]

    /// One who uses a store, with keys of its own, and knows what must be found.
    private struct User {
        let name: String
        let store: MemoryStore
        let clock: ManualClock
        var random: SplitMix
        var model = Model()

        /// Does something at random, and compares.
        mutating func act(_ step: Int) {
            let number = Int.random(in: 0..<60, using: &random)
            let key = CacheKey("\(name)-\(number)")
            switch Int.random(in: 0..<90, using: &random) {
            case 0..<35: put(step, number, key)
            case 35..<75: read(number, key)
            case 75..<85:
                let isFound = model.entries[number].map { $0.expiry > clock.now } ?? false
                #expect(store.contains(key) == isFound)
            default:
                store.remove(key)
                model.entries[number] = nil
            }
        }

        private mutating func put(_ step: Int, _ number: Int, _ key: CacheKey) {
            let rule = rules[Int.random(in: 0..<rules.count, using: &random)]
            let cost = Int.random(in: 0..<50, using: &random)
            store.store(step, for: key, cost: cost, expiration: rule)
            guard !rule.isAlreadyExpired(at: clock.now) else { return }
            let expiry = rule.expiry(from: clock.now)
            model.entries[number] = .init(value: step, cost: cost, rule: rule, expiry: expiry)
        }

        private mutating func read(_ number: Int, _ key: CacheKey) {
            let extending: ExpirationExtending =
                [.none, .cacheTime, .expirationTime(.seconds(5))]
                .randomElement(using: &random) ?? .none
            let found = store.value(for: key, extending: extending)
            guard var entry = model.entries[number], entry.expiry > clock.now else {
                #expect(found == nil)
                return
            }
            #expect(found == entry.value)
            switch extending {
            case .none: break
            case .cacheTime: entry.expiry = entry.rule.expiry(from: clock.now)
            case .expirationTime(let rule): entry.expiry = rule.expiry(from: clock.now)
            }
            model.entries[number] = entry
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `ten thousand operations without pressure behave like a dictionary`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let clock = ManualClock()
        let store = MemoryStore(limits: .init(cost: .max), clock: clock.clock)
        var user = User(name: "key", store: store, clock: clock, random: SplitMix(seed: seed + 100))
        for step in 0..<10_000 {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<90: user.act(step)
            case 90..<97:
                clock.advance(by: Double.random(in: -2...10, using: &random))
            case 97..<99:
                store.removeExpired()
                user.model.entries = user.model.entries.filter { $0.value.expiry > clock.now }
            default:
                if Bool.random(using: &random) { break }
                store.removeAll()
                user.model.entries = [:]
            }
            #expect(store.count == user.model.entries.count)
            #expect(store.totalCost == user.model.cost)
        }
    }

    // For the thread sanitizer, and for what it does not see: nobody gets what is another's.
    @Test(.timeLimit(.minutes(1)))
    func `ten thousand operations of each of eight tasks behave like dictionaries`() async {
        let clock = ManualClock()
        let store = MemoryStore(limits: .init(cost: .max), clock: clock.clock)
        let models = await withTaskGroup(of: Model.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var user = User(
                        name: "task \(task)",
                        store: store,
                        clock: clock,
                        random: SplitMix(seed: UInt64(task))
                    )
                    for step in 0..<10_000 { user.act(step) }
                    return user.model
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(store.count == models.reduce(0) { $0 + $1.entries.count })
        #expect(store.totalCost == models.reduce(0) { $0 + $1.cost })
        #expect(store.residentCosts.reduce(0, +) == store.totalCost)
    }

    @Test(arguments: [5, 6, 7] as [UInt64])
    func `ten thousand operations under pressure keep every promise`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let limits = MemoryStore.Limits(cost: 500, count: 40)
        let store = MemoryStore(limits: limits, clock: ManualClock().clock)
        var newest: [Int: Int] = [:]
        for step in 0..<10_000 {
            let number = Int.random(in: 0..<200, using: &random)
            let key = CacheKey("key-\(number)")
            if Int.random(in: 0..<3, using: &random) == 0 {
                let cost = Int.random(in: 0...500, using: &random)
                store.store(step, for: key, cost: cost, expiration: .never)
                newest[number] = step
                #expect(store.contains(key))
            } else if Int.random(in: 0..<10, using: &random) == 0 {
                store.remove(key)
                newest[number] = nil
                #expect(!store.contains(key))
            } else if let found = store.value(for: key) {
                #expect(found == newest[number])
            }
            #expect(store.totalCost <= limits.cost)
            #expect(store.count <= limits.count)
        }
        let resident = store.residentCosts
        #expect(resident.count == store.count)
        #expect(resident.reduce(0, +) == store.totalCost)
    }

    @Test(.timeLimit(.minutes(1)))
    func `eight tasks at once leave exact sums behind`() async {
        let store = MemoryStore(limits: .init(cost: 3_000, count: 90))
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { Self.work(on: store, seed: UInt64(task)) }
            }
        }
        let resident = store.residentCosts
        #expect(resident.count == store.count)
        #expect(resident.reduce(0, +) == store.totalCost)
        #expect(store.totalCost <= 3_000)
    }

    private static func work(on store: MemoryStore, seed: UInt64) {
        var random = SplitMix(seed: seed)
        for step in 0..<3_000 {
            let key = CacheKey("key-\(Int.random(in: 0..<300, using: &random))")
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<6: store.store(step, for: key, cost: step % 60, expiration: .seconds(0.01))
            case 6: store.remove(key)
            case 7 where step % 50 == 0: store.removeExpired()
            case 8 where step % 500 == 0: store.removeAll()
            case 9: store.limits = .init(cost: 3_000, count: 80 + step % 10)
            default: _ = store.value(for: key)
            }
        }
    }
}

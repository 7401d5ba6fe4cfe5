import TestSupport
import Testing

@testable import Kingfisher

/// Requests that repeat in a loop longer than the store.
struct MemoryLoopTests {
    private static let length = 200

    private static func loop(_ times: Int) -> [Int] {
        (0..<times).flatMap { _ in 0..<length }
    }

    /// Down a list, back up, and so on.
    private static func list(_ times: Int) -> [Int] {
        (0..<times).flatMap { time in
            time % 2 == 0
                ? Array(0..<length) : stride(from: length - 2, to: 0, by: -1).map { $0 }
        }
    }

    /// Asks for each number, stores those without an entry, and returns the share of hits.
    private static func hits(of requests: [Int], in store: MemoryStore) -> Double {
        let hits = requests.count { number in
            let key = CacheKey("https://example.com/\(number).jpg")
            if store.value(for: key) != nil { return true }
            store.store(number, for: key, cost: 10, expiration: .never)
            return false
        }
        return Double(hits) / Double(requests.count)
    }

    private static func store(_ entries: Int, noticesLoops: Bool = true) -> MemoryStore {
        MemoryStore(limits: .init(cost: 10 * entries, noticesLoops: noticesLoops))
    }

    // The optimum is the share that fits.
    @Test(arguments: [20, 60, 100, 180])
    func `MEM-14: a loop that does not fit hits nearly as often as the part that fits`(
        entries: Int
    ) {
        let share = Double(entries) / Double(Self.length)
        #expect(Self.hits(of: Self.loop(30), in: Self.store(entries)) > 0.8 * share)
    }

    @Test(arguments: [20, 60, 100, 180])
    func `MEM-14: a list scrolled back and forth hits nearly as often as the part that fits`(
        entries: Int
    ) {
        let share = Double(entries) / Double(Self.length)
        #expect(Self.hits(of: Self.list(30), in: Self.store(entries)) > 0.8 * share)
    }

    @Test func `MEM-14: a limit of count keeps a part of a loop, too`() {
        let store = MemoryStore(limits: .init(cost: .max, count: 100))
        #expect(Self.hits(of: Self.loop(30), in: store) > 0.4)
    }

    @Test func `MEM-14: a loop is not noticed if that is switched off`() {
        let store = Self.store(60, noticesLoops: false)
        #expect(Self.hits(of: Self.loop(10), in: store) == 0)
        store.limits.noticesLoops = true
        #expect(Self.hits(of: Self.loop(30), in: store) > 0.2)
    }

    @Test func `the loop is forgotten when others are requested`() {
        let store = Self.store(100)
        _ = Self.hits(of: Self.loop(10), in: store)
        let others = Array(1_000..<1_060)
        for _ in 0..<6 { _ = Self.hits(of: others, in: store) }
        #expect(Self.hits(of: others, in: store) == 1)
    }

    @Test func `another loop replaces the first`() {
        let store = Self.store(100)
        _ = Self.hits(of: Self.loop(10), in: store)
        let other = Self.loop(30).map { $0 + 1_000 }
        // The kept entries are replaced in the course of some rounds.
        #expect(Self.hits(of: other, in: store) > 0.15)
        #expect(Self.hits(of: other, in: store) > 0.4)
    }

    /// The share of hits of a least recently used cache of the same size.
    private static func recencyHits(of requests: [Int], entries: Int) -> Double {
        var kept: [Int] = []
        let hits = requests.count { number in
            let place = kept.firstIndex(of: number)
            if let place { kept.remove(at: place) }
            kept.append(number)
            if kept.count > entries { kept.removeFirst() }
            return place != nil
        }
        return Double(hits) / Double(requests.count)
    }

    /// Small numbers are frequent; `scans` of 40 numbers that are asked for once are in between.
    private static func popular(scans: Int) -> [Int] {
        var random = SplitMix(seed: 7)
        return (0..<200).flatMap { round in
            let popular = (0..<100).map { _ in
                Int.random(in: 0..<40, using: &random) * Int.random(in: 0..<40, using: &random)
            }
            let start = 10_000 + 40 * round
            return popular + (round % 5 < scans ? Array(start..<(start + 40)) : [])
        }
    }

    @Test(arguments: [0, 1, 5])
    func `popular entries stay among many single requests`(scans: Int) {
        let requests = Self.popular(scans: scans)
        let ours = Self.hits(of: requests, in: Self.store(60, noticesLoops: false))
        let others = Self.recencyHits(of: requests, entries: 60)
        #expect(ours > 1.1 * others, "\(ours) \(others)")
    }

    @Test func `popular objects in no order are no loop`() {
        var random = SplitMix(seed: 7)
        let requests = (0..<20_000).map { _ in
            // The product of two uniform numbers makes small ones frequent.
            Int.random(in: 0..<40, using: &random) * Int.random(in: 0..<40, using: &random)
        }
        let ours = Self.hits(of: requests, in: Self.store(60))
        #expect(ours > 0.2)
        #expect(ours == Self.hits(of: requests, in: Self.store(60, noticesLoops: false)))
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `MEM-11: during a loop the limits hold, and what was stored is found`(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let limits = MemoryStore.Limits(cost: 1_000, count: 90)
        let store = MemoryStore(limits: limits)
        for number in Self.loop(10) + Self.list(10) {
            let key = CacheKey("\(number)")
            guard store.value(for: key) == nil else { continue }
            // Most are smaller than the window for new entries, some nearly as large as the limit.
            let large = Int.random(in: 0..<20, using: &random) == 0
            let cost = Int.random(in: 0...(large ? 1_000 : 20), using: &random)
            store.store(number, for: key, cost: cost, expiration: .never)
            #expect(store.value(for: key) == number)
            #expect(store.totalCost <= limits.cost)
            #expect(store.count <= limits.count)
        }
        #expect(store.residentCosts.reduce(0, +) == store.totalCost)
        store.shrink(toCost: 100)
        #expect(store.totalCost <= 100)
        store.removeAll()
        #expect(store.count == 0)
    }
}

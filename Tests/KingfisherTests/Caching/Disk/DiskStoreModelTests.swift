import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Random operations against a dictionary with the rules of the specification.
struct DiskStoreModelTests {
    private struct Model {
        struct Entry {
            var data: Data
            var expiry: TimeInterval
            var lifetime: TimeInterval
        }

        var entries: [String: Entry] = [:]
        /// The least recently used name first.
        var order: [String] = []
        var size: Int { entries.values.reduce(0) { $0 + $1.data.count } }

        mutating func use(_ name: String) {
            order.removeAll { $0 == name }
            order.append(name)
        }

        mutating func remove(_ name: String) {
            entries[name] = nil
            order.removeAll { $0 == name }
        }

        mutating func trim(to limit: Int, sparing spared: String?) {
            for name in order where size > limit && name != spared { remove(name) }
        }
    }

    private static let rules: [StorageExpiration] = [
        .never, .seconds(30), .seconds(3), .days(1), .expired,
        .date(Date(timeIntervalSinceReferenceDate: 1_002_000)),
    ]

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `thousands of operations behave like a dictionary`(seed: UInt64) throws {
        let folder = try TemporaryDirectory()
        let clock = ManualClock()
        var random = SplitMix(seed: seed)
        var model = Model()
        var limit = 0
        var store = DiskStore(directory: folder.url.path, clock: clock.clock)
        for step in 0..<4_000 {
            let name = "name-\(Int.random(in: 0..<40, using: &random))"
            let now = clock.now
            switch Int.random(in: 0..<1_000, using: &random) {
            case 0..<250:
                let rule = Self.rules[Int.random(in: 0..<Self.rules.count, using: &random)]
                let data =
                    Data("\(step)".utf8) + Data(count: Int.random(in: 0..<50, using: &random))
                try store.store(data, named: name, key: "key", expiration: rule)
                guard !rule.isAlreadyExpired(at: now) else { break }
                model.entries[name] = .init(
                    data: data,
                    expiry: rule.expiry(from: now),
                    lifetime: rule.length(from: now)
                )
                model.use(name)
                if limit > 0, model.size > limit { model.trim(to: limit / 2, sparing: name) }
            case 250..<650:
                let extending: ExpirationExtending =
                    [.none, .cacheTime, .expirationTime(.seconds(5))]
                    .randomElement(using: &random) ?? .none
                let found = try store.data(named: name, extending: extending)
                guard var entry = model.entries[name], entry.expiry > now else {
                    #expect(found == nil)
                    break
                }
                #expect(found == entry.data)
                switch extending {
                case .none: break
                case .cacheTime:
                    entry.expiry = now + entry.lifetime
                    model.use(name)
                case .expirationTime(let rule):
                    entry.lifetime = rule.length(from: now)
                    entry.expiry = now + entry.lifetime
                    model.use(name)
                }
                model.entries[name] = entry
            case 650..<750:
                #expect(
                    store.contains(name) == (model.entries[name].map { $0.expiry > now } ?? false)
                )
            case 750..<800:
                if model.entries[name] == nil {
                    #expect(throws: DiskError.self) { try store.remove(name) }
                } else {
                    try store.remove(name)
                }
                model.remove(name)
            case 800..<900:
                clock.advance(by: Double.random(in: 0...8, using: &random))
            case 900..<930:
                let removed = store.removeExpired().removed
                let expired = model.entries.filter { $0.value.expiry <= now }.keys
                #expect(Set(removed) == Set(expired))
                for name in expired { model.remove(name) }
            case 930..<950:
                limit = [0, 300, 600, 1_000].randomElement(using: &random) ?? 0
                store.sizeLimit = limit
            case 950..<970:
                let removed = store.trim().removed
                let before = model.order
                if limit > 0, model.size >= limit { model.trim(to: limit / 2, sparing: nil) }
                #expect(removed == before.filter { model.entries[$0] == nil })
            case 970..<985:
                store.log.flush()
                store = DiskStore(directory: folder.url.path, clock: clock.clock)
                store.sizeLimit = limit
            case 985..<995:
                let file = folder.file(name)
                guard model.entries[name] != nil else { break }
                try Data("damage".utf8).write(to: file)
                #expect(model.entries[name]?.data != Data("damage".utf8))
                guard model.entries[name].map({ $0.expiry > now }) == true else { break }
                #expect(try store.data(named: name) == nil)
                model.remove(name)
            default:
                try store.removeAll()
                model = Model()
            }
            #expect(store.totalSize == model.size)
            #expect(store.entries.map(\.name) == model.order)
        }
    }
}

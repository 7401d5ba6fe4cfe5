import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Machines that share two storages: a fast one, which is asked first, and a slow one.
@Suite(.timeLimit(.minutes(1)))
struct SharedLevelsTests {
    private let transport = FakeTransport()
    private let near = InMemorySharedStorage()
    private let far = InMemorySharedStorage()
    private let clock = ManualClock()
    private let url: URL

    init() throws {
        url = try #require(URL(string: "https://example.com/a.png"))
        transport.answer(url, with: .picture(.solid(.red, width: 64, height: 48)))
    }

    /// The settings of the second level: its time-outs are those of a clock that stands.
    private var distant: SharedStorageSettings {
        var settings = SharedStorageSettings()
        settings.leaseWait = .zero
        return settings
    }

    private func machine(far settings: SharedStorageSettings? = nil) throws -> Machine {
        let machine = try Machine(transport, sharing: nil, clock: clock.clock)
        machine.cache.useSharedStorages([(near, .patient), (far, settings ?? distant)])
        return machine
    }

    private func statistics(
        _ machine: Machine
    ) -> (near: SharedStorageStatistics, far: SharedStorageStatistics) {
        let all = machine.cache.allSharedStorageStatistics
        return (all[0], all[1])
    }

    private func reads(_ storage: InMemorySharedStorage) -> Int {
        storage.calls.count { if case .values = $0 { true } else { false } }
    }

    private func removals(_ storage: InMemorySharedStorage) -> Int {
        storage.calls.count { if case .remove = $0 { true } else { false } }
    }

    @Test func `an entry goes to both levels, and is found in the first`() async throws {
        let (one, two) = (try machine(), try machine())
        _ = try await one.load(url)
        await one.settle()
        #expect(near.contents.count == 1)
        #expect(far.contents == near.contents)
        // The claim of the right to make it asks the first level alone.
        #expect(reads(far) == 1)
        #expect(try await two.load(url).cacheType == .disk)
        #expect(reads(far) == 1)
        #expect(statistics(two).near.hits == 1)
        #expect(statistics(one).far.stores == 1)
        #expect(!far.calls.contains { if case .acquireLease = $0 { true } else { false } })
    }

    @Test func `an entry of the second level is found, and sent to the first`() async throws {
        let one = try machine()
        _ = try await one.load(url)
        await one.settle()
        let stored = near.contents
        near.contents = [:]
        let two = try machine()
        #expect(try await two.load(url).cacheType == .disk)
        await two.settle()
        #expect(near.contents.keys == stored.keys)
        #expect(statistics(two).near.hits == 0)
        #expect(statistics(two).far.hits == 1)
        let three = try machine()
        #expect(try await three.load(url).cacheType == .disk)
        #expect(statistics(three).far == SharedStorageStatistics())
        #expect(transport.requests.count == 1)
    }

    @Test func `twenty loads at once ask the second level once`() async throws {
        let one = try machine()
        _ = try await one.load(url)
        await one.settle()
        near.contents = [:]
        let two = try machine()
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try await two.load(url) } }
            try await group.waitForAll()
        }
        await two.settle()
        #expect(reads(far) == 2)
        #expect(statistics(two).near.stores == 1)
        #expect(transport.requests.count == 1)
    }

    @Test func `a damaged value of the second level is made again, and replaced`() async throws {
        let one = try machine()
        _ = try await one.load(url)
        await one.settle()
        near.contents = [:]
        let good = far.contents
        far.contents = good.mapValues { $0.dropLast() + Data([0x55]) }
        let two = try machine()
        #expect(try await two.load(url).cacheType == .none)
        #expect(statistics(two).far.damaged == 1)
        await two.settle()
        #expect(far.contents.keys == good.keys)
        #expect(try await machine().load(url).cacheType == .disk)
    }

    @Test func `a level that fails is paused alone`() async throws {
        let one = try machine()
        far.faults.fails = true
        for index in 0..<4 {
            let url = try #require(URL(string: "https://example.com/\(index).png"))
            transport.answer(url, with: .picture(.solid(.red, width: 8, height: 8)))
            _ = try await one.load(url)
            await one.settle()
        }
        #expect(statistics(one).far.isPaused)
        #expect(!statistics(one).near.isPaused)
        #expect(near.contents.count == 4)
        #expect(!one.cache.sharing!.isPaused)
    }

    @Test func `a second level serves loads while the first fails`() async throws {
        let one = try machine()
        _ = try await one.load(url)
        await one.settle()
        try await eventually { near.leasedNames.isEmpty }
        near.faults.fails = true
        let two = try machine()
        #expect(try await two.load(url).cacheType == .disk)
        #expect(statistics(two).near.unavailable == 1)
        #expect(statistics(two).far.hits == 1)
        #expect(transport.requests.count == 1)
    }

    @Test func `a dead second level costs a load its time-out, and then nothing`() async throws {
        // The steps of the clock until a load has ended must not end the pause, however many there are.
        var settings = distant
        settings.pause = .seconds(100_000_000)
        let one = try machine(far: settings)
        far.faults.isDead = true
        let urls = try (0..<4).map { try #require(URL(string: "https://example.com/d\($0).png")) }
        for url in urls {
            transport.answer(url, with: .picture(.solid(.red, width: 8, height: 8)))
        }
        for url in urls[..<3] {
            let load = Task { try await one.load(url) }
            _ = try await clock.advance(until: load)
        }
        #expect(statistics(one).far.isPaused)
        // No time passes.
        _ = try await one.load(urls[3])
    }

    @Test func `an entry is gone everywhere when other machines get the message`() async throws {
        let one = try machine()
        _ = try await one.load(url)
        await one.settle()
        far.faults.isDead = true
        try await one.cache.removeImage(forKey: url.cacheKey)
        try await eventually { removals(far) == 1 }
        #expect(removals(near) == 0)
        // A removal that fails is repeated, and does not block the others.
        clock.advance(by: 0.2)
        try await eventually { near.calls.last == .publish }
        #expect(near.contents.isEmpty)
        far.faults.isDead = false
        try await eventually {
            clock.advance(by: 1)
            return far.contents.isEmpty
        }
    }

    /// Fails to store, and has nothing.
    private struct Unwritable: SharedImageStorage {
        func values(for names: [String]) async throws -> [String: Data] { [:] }
        func store(_ items: [SharedStorageItem]) async throws {
            throw InMemorySharedStorage.Failure()
        }
        func remove(_ names: [String]) async throws {}
    }

    @Test func `failures of writes with their own time-out pause no lookups`() async throws {
        var settings = distant
        settings.writeTimeout = .seconds(10)
        let one = try machine()
        one.cache.useSharedStorages([(Unwritable(), settings)])
        for index in 0..<4 {
            let url = try #require(URL(string: "https://example.com/w\(index).png"))
            transport.answer(url, with: .picture(.solid(.red, width: 8, height: 8)))
            _ = try await one.load(url)
            await one.settle()
        }
        #expect(one.statistics.droppedStores == 4)
        #expect(one.statistics.misses == 4)
        #expect(!one.statistics.isPaused)
    }
}

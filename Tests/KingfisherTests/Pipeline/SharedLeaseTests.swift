import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// One machine works on an image at a time.
@Suite(.timeLimit(.minutes(1)))
struct SharedLeaseTests {
    private let transport = FakeTransport()
    private let url: URL
    private let picture = FakeAnswer.picture(.solid(.red, width: 64, height: 48))

    init() throws { url = try #require(URL(string: "https://example.com/a.png")) }

    private var name: String {
        CacheEntryName(key: url.cacheKey, identifier: "", forced: nil).sharedName
    }

    /// Waits until all leases were given back, after the last reference to a load.
    private func released(_ storage: InMemorySharedStorage) async throws {
        try await eventually { storage.leasedNames.isEmpty }
    }

    @Test func `thirty loads on three machines download once`() async throws {
        let storage = InMemorySharedStorage()
        let machines = try (0..<3).map { _ in try Machine(transport, sharing: storage) }
        let sizes = try await withThrowingTaskGroup { group in
            for index in 0..<30 {
                group.addTask { try await machines[index % 3].load(url).image.pixelWidth }
            }
            await transport.started(1)
            // Until all machines have claimed the image.
            try await eventually {
                storage.calls.count(where: { $0 == .acquireLease(name) }) >= 6
            }
            try transport.transfer(0).complete(ScriptedPicture.solid(.red).data(as: .png))
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sizes == Array(repeating: 64, count: 30))
        #expect(transport.requests.count == 1)
        for machine in machines { await machine.settle() }
        #expect(machines.reduce(0) { $0 + $1.statistics.leases } == 1)
        #expect(machines.reduce(0) { $0 + $1.statistics.madeElsewhere } == 2)
        try await released(storage)
    }

    @Test func `encoded files are made once too`() async throws {
        let storage = InMemorySharedStorage()
        let machines = try (0..<3).map { _ in try Machine(transport, sharing: storage) }
        transport.answer(url, with: picture)
        let processor = DownsamplingImageProcessor(size: CGSize(width: 20, height: 20))
        let files = try await withThrowingTaskGroup { group in
            for machine in machines {
                group.addTask {
                    try await machine.manager.retrieveData(
                        with: url,
                        options: [.processor(processor)],
                        as: .jpeg(quality: 0.5)
                    ).data
                }
            }
            return try await group.reduce(into: Set<Data>()) { $0.insert($1) }
        }
        #expect(files.count == 1)
        #expect(transport.requests.count == 1)
        for machine in machines { await machine.settle() }
        try await released(storage)
    }

    @Test func `a lease ends when the image is stored, and when the load fails`() async throws {
        let storage = InMemorySharedStorage()
        let machine = try Machine(transport, sharing: storage)
        transport.answer(url, with: .status(500))
        await #expect(throws: KingfisherError.self) { try await machine.load(url) }
        await machine.settle()
        try await released(storage)
        transport.answer(url, with: picture)
        _ = try await machine.load(url)
        await machine.settle()
        try await released(storage)
        #expect(machine.statistics.leases == 2)
    }

    @Test func `a cancelled load gives its lease back`() async throws {
        let storage = InMemorySharedStorage()
        let machine = try Machine(transport, sharing: storage)
        let load = Task { try await machine.load(url) }
        await transport.started(1)
        #expect(storage.leasedNames == [name])
        load.cancel()
        _ = await load.result
        try await released(storage)
    }

    @Test func `files that programs make themselves are made once`() async throws {
        let storage = InMemorySharedStorage()
        let machines = try (0..<3).map { _ in try Machine(transport, sharing: storage) }
        let made = Locked(0)
        let types = try await withThrowingTaskGroup { group in
            for index in 0..<30 {
                group.addTask {
                    let found = try await machines[index % 3].cache.data(
                        forKey: "source",
                        processorIdentifier: "mine"
                    ) {
                        made.change { $0 += 1 }
                        return Data("file".utf8)
                    }
                    #expect(found.data == Data("file".utf8))
                    return found.cacheType
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.value == 1)
        #expect(types.contains(.none) && types.contains(.disk))
        try await released(storage)
        for machine in machines {
            await machine.settle()
            #expect(
                machine.cache.diskStorage.isCached(forKey: "source@mine"),
                "each machine keeps the file"
            )
        }
    }

    @Test func `a file that cannot be made fails its callers alone`() async throws {
        struct Broken: Error {}
        let storage = InMemorySharedStorage()
        let machine = try Machine(transport, sharing: storage)
        await #expect(throws: Broken.self) {
            try await machine.cache.data(forKey: "a") { throw Broken() }
        }
        try await released(storage)
        let found = try await machine.cache.data(forKey: "a") { Data([1]) }
        #expect(found.cacheType == .none)
        let again = try await machine.cache.data(forKey: "a") { throw Broken() }
        #expect(again.data == Data([1]) && again.cacheType == .disk)
    }

    @Test func `without a shared storage files are made once on this machine`() async throws {
        let machine = try Machine(transport, sharing: nil)
        let made = Locked(0)
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 {
                group.addTask {
                    _ = try await machine.cache.data(forKey: "a") {
                        made.change { $0 += 1 }
                        return Data([1])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(made.value == 1)
    }

    // MARK: With a manual clock

    private let clock = ManualClock()

    /// Waits for another machine for 5 s, and without limit for the storage.
    private var settings: SharedStorageSettings {
        var settings = SharedStorageSettings.patient
        settings.leaseWait = .seconds(5)
        return settings
    }

    private func makeMachine(
        _ storage: InMemorySharedStorage,
        _ settings: SharedStorageSettings? = nil
    ) throws -> Machine {
        try Machine(
            transport,
            sharing: storage,
            settings: settings ?? self.settings,
            clock: clock.clock
        )
    }

    /// A storage in which another machine has the lease.
    private func makeLeased(for duration: Duration) async throws -> InMemorySharedStorage {
        let storage = InMemorySharedStorage(clock: clock.clock)
        #expect(try await storage.acquireLease(of: name, token: "other", for: duration))
        return storage
    }

    @Test func `if the machine with the lease dies, another one continues`() async throws {
        let storage = try await makeLeased(for: .seconds(2))
        let machine = try makeMachine(storage, .patient)
        transport.answer(url, with: picture)
        let load = Task { try await machine.load(url).cacheType }
        #expect(try await clock.advance(until: load) == .none)
        #expect(machine.statistics.leases == 1)
        #expect(transport.requests.count == 1)
    }

    @Test func `a load waits for another machine for a limited time`() async throws {
        let storage = try await makeLeased(for: .seconds(900_000_000))
        let machine = try makeMachine(storage)
        transport.answer(url, with: picture)
        let start = clock.now
        let load = Task { try await machine.load(url).cacheType }
        #expect(try await clock.advance(until: load) == .none)
        #expect(clock.now - start >= 5)
        #expect(machine.statistics.fruitlessWaits == 1)
        // Only its own lease may be released.
        await machine.settle()
        #expect(storage.leasedNames == [name])
    }

    @Test func `a waiting load gets the image of the other machine`() async throws {
        let storage = try await makeLeased(for: .seconds(900_000_000))
        let machine = try makeMachine(storage, .patient)
        let load = Task { try await machine.load(url).cacheType }
        // Its lookup and its claim.
        await storage.called(3)
        let value = SharedValue(
            data: ScriptedPicture.solid(.red).data(as: .png),
            metadata: Data(),
            expiry: .infinity
        )
        storage.contents = [name: try #require(value.encoded(for: name))]
        #expect(try await clock.advance(until: load) == .disk)
        #expect(transport.requests.isEmpty)
        #expect(machine.statistics.madeElsewhere == 1)
    }

    @Test func `a cancelled load stops waiting at once`() async throws {
        let storage = try await makeLeased(for: .seconds(900_000_000))
        let machine = try makeMachine(storage)
        let load = Task { try await machine.load(url) }
        await storage.called(3)
        load.cancel()
        // The clock does not move.
        await #expect(throws: (any Error).self) { try await load.value }
        #expect(transport.requests.isEmpty)
    }

    @Test func `without a wait there are no leases`() async throws {
        let storage = try await makeLeased(for: .seconds(900_000_000))
        var settings = settings
        settings.leaseWait = .zero
        let machine = try makeMachine(storage, settings)
        transport.answer(url, with: picture)
        #expect(try await machine.load(url).cacheType == .none)
        #expect(!storage.calls.dropFirst().contains(.acquireLease(name)))
    }

    // MARK: A storage that fails

    @Test func `a dead storage costs each load one time-out, and later ones nothing`() async throws
    {
        let storage = InMemorySharedStorage(clock: clock.clock)
        storage.faults.isDead = true
        let machine = try makeMachine(storage, SharedStorageSettings())
        transport.answerOthers(with: picture)
        for index in 0..<3 {
            let start = clock.now
            let waiting = Task { try await load(index, machine) }
            await storage.called(index + 1)
            clock.advance(by: 0.1)
            #expect(try await waiting.value == .none)
            #expect(clock.now - start < 0.11)
        }
        for index in 3..<10 {
            #expect(try await load(index, machine) == .none)
        }
        #expect(storage.calls.count == 3)
        #expect(machine.statistics.isPaused)
        #expect(machine.manager.explain(url).sharedStorage == .paused)
    }

    /// Loads an image without storing it, so that only lookups ask the storage.
    private func load(_ index: Int, _ machine: Machine) async throws -> CacheType {
        try await machine.load(url.appending(path: "\(index)"), [.cacheMemoryOnly]).cacheType
    }

    @Test func `a storage that comes back is used again`() async throws {
        let storage = InMemorySharedStorage(clock: clock.clock)
        let defaults = SharedStorageSettings()
        let (one, two) = (try makeMachine(storage, defaults), try makeMachine(storage, defaults))
        transport.answerOthers(with: picture)
        for round in 0..<4 {
            storage.faults.fails = true
            for index in 0..<4 {
                _ = try await one.load(url.appending(path: "\(round)/\(index)"))
                await one.settle()
            }
            #expect(one.statistics.isPaused)
            storage.faults.fails = false
            clock.advance(by: 6)
            let shared = url.appending(path: "\(round)")
            _ = try await one.load(shared)
            await one.settle()
            #expect(!one.statistics.isPaused)
            #expect(try await two.load(shared).cacheType == .disk)
        }
    }
}

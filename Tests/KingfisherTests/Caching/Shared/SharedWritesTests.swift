import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// Changes are sent in the background, in order and within bounds.
@Suite(.timeLimit(.minutes(1)))
struct SharedWritesTests {
    private let clock = ManualClock()
    private let storage: InMemorySharedStorage
    private let counts = SharedCounts()
    private var settings = SharedStorageSettings()

    init() {
        storage = InMemorySharedStorage(clock: clock.clock)
        settings.pendingBytes = 1_000
    }

    private func makeWrites(
        message: @escaping @Sendable ([CacheEntryName]) -> Data? = { Data("\($0.count)".utf8) }
    ) -> SharedWrites {
        let gateway = SharedGateway(storage, settings: settings, clock: clock.clock)
        return SharedWrites(
            gateway,
            settings: settings,
            clock: clock.clock,
            counts: counts,
            message: message
        )
    }

    private func item(_ name: String, _ count: Int = 100) -> SharedStorageItem {
        SharedStorageItem(name: name, value: Data(count: count), timeToLive: .seconds(60))
    }

    private func remove(_ name: String, from writes: SharedWrites) {
        writes.beginRemoval(of: name)
        writes.remove(name, CacheEntryName(key: name, identifier: "", forced: nil))
    }

    @Test func `a slow storage gets no more than its bytes may wait`() async {
        let writes = makeWrites()
        storage.faults.delay = 0.05
        for index in 0..<30 { writes.store(item("\(index)")) }
        #expect(writes.byteCount <= 1_000)
        #expect(counts.current.droppedStores == 20)
        await storage.called(1)
        storage.faults.delay = 0
        clock.advance(by: 0.05)
        await writes.flush()
        #expect(storage.contents.count == 10)
        #expect(counts.current.stores == 10)
        #expect(writes.byteCount == 0)
    }

    @Test func `a slow storage gets no more changes than may wait`() async {
        var writes = self
        writes.settings.pendingBytes = 1 << 20
        let queue = writes.makeWrites()
        storage.faults.delay = 0.05
        // One batch may be on its way.
        let most = SharedWrites.capacity + SharedWrites.batchSize
        for index in 0..<most + 7 { queue.store(item("\(index)", 1)) }
        #expect(counts.current.droppedStores >= 7)
        #expect(queue.byteCount <= most)
        storage.faults.delay = 0
        await storage.called(1)
        clock.advance(by: 0.05)
        await queue.flush()
        #expect(storage.contents.count == most + 7 - counts.current.droppedStores)
    }

    @Test func `values of exactly the size of a batch are sent together, a larger one alone`()
        async
    {
        var writes = self
        writes.settings.pendingBytes = 32 << 20
        let queue = writes.makeWrites()
        storage.faults.delay = 0.05
        queue.store(item("first"))
        await storage.called(1)
        storage.faults.delay = 0
        for name in ["a", "b"] { queue.store(item(name, SharedWrites.batchBytes / 2)) }
        clock.advance(by: 0.05)
        await queue.flush()
        #expect(storage.calls.count == 2)
        queue.store(item("large", SharedWrites.batchBytes + 1))
        await queue.flush()
        #expect(storage.calls.count == 3)
        #expect(storage.contents["large"]?.count == SharedWrites.batchBytes + 1)
    }

    @Test func `changes of one name keep their order`() async {
        let writes = makeWrites()
        for _ in 0..<5 {
            writes.store(item("a"))
            remove("a", from: writes)
        }
        writes.store(item("a", 7))
        await writes.flush()
        #expect(storage.contents["a"]?.count == 7)
        remove("a", from: writes)
        await writes.flush()
        #expect(storage.contents.isEmpty)
        #expect(!writes.isRemoving("a"))
    }

    @Test func `changes that wait are sent together`() async {
        let writes = makeWrites()
        storage.faults.delay = 0.05
        writes.store(item("first"))
        await storage.called(1)
        storage.faults.delay = 0
        for index in 0..<9 { writes.store(item("\(index)")) }
        for index in 10..<15 { remove("\(index)", from: writes) }
        clock.advance(by: 0.05)
        await writes.flush()
        // The first store; removals with their message; the other stores.
        #expect(storage.calls.count == 4)
        #expect(storage.contents.count == 10)
    }

    @Test func `removals are announced in as many messages as they need`() async throws {
        // Room for five names, and none for the seventh.
        let writes = makeWrites { entries in
            let keys = entries.map(\.computedKey)
            return keys.count > 5 || keys.contains("7") ? nil : Data(keys.joined().utf8)
        }
        let messages = storage.messages()
        storage.faults.delay = 0.05
        writes.store(item("first"))
        await storage.called(1)
        storage.faults.delay = 0
        for index in 0..<10 { remove("\(index)", from: writes) }
        clock.advance(by: 0.05)
        await writes.flush()
        // Of 0 to 4, of 5 and 6, and of 8 and 9.
        try #require(storage.calls.count { $0 == .publish } == 3)
        var announced = ""
        for await message in messages.prefix(3) {
            announced += String(decoding: message, as: UTF8.self)
        }
        #expect(announced.sorted() == Array("012345689"))
        #expect(counts.current.droppedRemovals == 1)
        #expect(!writes.isRemoving("7"))
    }

    @Test func `a removal is announced at once and kept until the storage accepts it`() async throws
    {
        let writes = makeWrites()
        writes.store(item("a"))
        await writes.flush()
        storage.faults.fails = true
        remove("a", from: writes)
        #expect(writes.isRemoving("a"))
        await writes.flush()
        #expect(storage.contents.count == 1)
        #expect(writes.isRemoving("a"))
        storage.faults.fails = false
        clock.advance(by: 5)
        try await eventually { !writes.isRemoving("a") }
        await writes.flush()
        #expect(storage.contents.isEmpty)
    }

    @Test func `a dead storage gets no stores after some time-outs, and all removals later`()
        async throws
    {
        let writes = makeWrites()
        storage.faults.isDead = true
        for index in 0..<5 {
            remove("\(index)", from: writes)
            await storage.called(min(index + 1, 3))
            clock.advance(by: 0.1)
            await writes.flush()
        }
        for _ in 0..<50 { writes.store(item("a")) }
        await writes.flush()
        #expect(storage.calls.count == 3)
        #expect(writes.byteCount == 0)
        #expect(counts.current.droppedStores == 50)
        storage.faults.isDead = false
        clock.advance(by: 5)
        try await eventually { !writes.isRemoving("0") }
        await writes.flush()
        for index in 0..<5 { #expect(!writes.isRemoving("\(index)")) }
        writes.store(item("a"))
        await writes.flush()
        #expect(storage.contents.count == 1)
    }

    @Test func `removals without end are bounded`() async throws {
        let writes = makeWrites()
        storage.faults.isDead = true
        for index in 0..<(SharedWrites.capacity + 500) { remove("\(index)", from: writes) }
        #expect(!writes.isRemoving("\(SharedWrites.capacity + 499)"))
        #expect((436...500).contains(counts.current.droppedRemovals))
        for count in 1...settings.failuresBeforePause {
            await storage.called(count)
            clock.advance(by: 0.1)
        }
        await writes.flush()
        #expect(writes.isRemoving("0"))
        storage.faults.isDead = false
        clock.advance(by: 5)
        try await eventually { !writes.isRemoving("0") }
        await writes.flush()
        let isRemovingSome = (0..<SharedWrites.capacity).contains { writes.isRemoving("\($0)") }
        #expect(!isRemovingSome)
        #expect(storage.calls.allSatisfy { $0.nameCount <= SharedWrites.batchSize })
    }
}

extension InMemorySharedStorage.Call {
    fileprivate var nameCount: Int {
        switch self {
        case .values(let names), .store(let names), .remove(let names): names.count
        case .acquireLease, .releaseLease: 1
        case .publish: 0
        }
    }
}

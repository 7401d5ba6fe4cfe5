import Foundation
import Kingfisher
import KingfisherTesting
import Testing

/// The storage in memory for tests.
@Suite(.timeLimit(.minutes(1)))
struct InMemorySharedStorageTests {
    private let clock = ManualClock()
    private let storage: InMemorySharedStorage

    init() { storage = InMemorySharedStorage(clock: clock.clock) }

    private func store(_ names: String..., for duration: Duration = .seconds(10)) async throws {
        try await storage.store(
            names.map { SharedStorageItem(name: $0, value: Data($0.utf8), timeToLive: duration) }
        )
    }

    @Test func `values are kept until their time is over or they are removed`() async throws {
        try await store("a", "b", "c")
        try await storage.remove(["b", "x"])
        #expect(try await storage.values(for: ["a", "b", "c"]).keys.sorted() == ["a", "c"])
        clock.advance(by: 10)
        #expect(try await storage.values(for: ["a", "b", "c"]).isEmpty)
        #expect(storage.contents.isEmpty)
        #expect(storage.calls.first == .store(["a", "b", "c"]))
    }

    @Test func `a lease has one owner until it is released or its time is over`() async throws {
        #expect(try await storage.acquireLease(of: "a", token: "1", for: .seconds(5)))
        #expect(try await !storage.acquireLease(of: "a", token: "2", for: .seconds(5)))
        try await storage.releaseLease(of: "a", token: "2")
        #expect(try await !storage.acquireLease(of: "a", token: "2", for: .seconds(5)))
        try await storage.releaseLease(of: "a", token: "1")
        #expect(try await storage.acquireLease(of: "a", token: "2", for: .seconds(5)))
        #expect(storage.leasedNames == ["a"])
        clock.advance(by: 5)
        #expect(storage.leasedNames.isEmpty)
        #expect(try await storage.acquireLease(of: "a", token: "3", for: .seconds(5)))
    }

    @Test func `all receivers get the messages`() async throws {
        let (one, two) = (storage.messages(), storage.messages())
        try await storage.publish(Data([1]))
        for stream in [one, two] {
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() == Data([1]))
        }
    }

    @Test func `faults change what calls do`() async throws {
        storage.faults.losesWrites = true
        try await store("a")
        #expect(storage.contents.isEmpty)
        storage.faults = .init()
        try await store("a")
        storage.faults.damage = { _ in Data() }
        #expect(try await storage.values(for: ["a"]) == ["a": Data()])
        storage.faults.fails = true
        await #expect(throws: InMemorySharedStorage.Failure.self) { try await store("a") }
    }

    @Test func `a delay lasts as long as the clock says`() async throws {
        storage.faults.delay = 3
        async let values = storage.values(for: ["a"])
        await storage.called(1)
        while clock.timerIntervals.isEmpty { await Task.yield() }
        clock.advance(by: 3)
        #expect(try await values.isEmpty)
    }

    @Test func `a dead storage returns when its caller gives up`() async {
        storage.faults.isDead = true
        let call = Task { try await storage.values(for: ["a"]) }
        await storage.called(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func `a wait for calls ends when its task is cancelled`() async throws {
        let wait = Task { [storage] in await storage.called(2) }
        try await store("a")
        wait.cancel()
        await wait.value
        #expect(storage.calls.count == 1)
    }
}

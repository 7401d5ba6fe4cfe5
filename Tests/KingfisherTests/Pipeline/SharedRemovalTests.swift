import Foundation
import KingfisherTesting
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// What machines that share a storage remove and store at the same time.
@Suite(.timeLimit(.minutes(1)))
struct SharedRemovalTests {
    private let image = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 2, height: 2))

    // MARK: Messages

    /// Removes entries that all machines have, as one batch.
    private func removeTogether(_ keys: [String], on clock: ManualClock) async throws -> Machine {
        let storage = InMemorySharedStorage(clock: clock.clock)
        let (one, two) = (try Machine(sharing: storage), try Machine(sharing: storage))
        for machine in [one, two] {
            for key in keys { try await machine.cache.store(image, forKey: key) }
            await machine.settle()
        }
        let count = storage.calls.count
        storage.faults.delay = 1
        try await one.cache.store(image, forKey: "first")
        await storage.called(count + 1)
        storage.faults.delay = 0
        // The removals are queued after the store.
        for key in keys { try await one.cache.removeImage(forKey: key) }
        clock.advance(by: 1)
        await one.settle()
        #expect(storage.contents.count == 1)
        return two
    }

    private func remaining(_ keys: [String], of machine: Machine) async -> [String] {
        await machine.settle()
        return keys.filter { machine.cache.isCached(forKey: $0) }
    }

    @Test func `long keys that are removed together are removed everywhere`() async throws {
        let keys = (0..<SharedWrites.batchSize).map {
            "https://example.com/\($0)/" + String(repeating: "k", count: 1_100)
        }
        let two = try await removeTogether(keys, on: ManualClock())
        try await eventually { two.statistics.invalidations == keys.count }
        #expect(await remaining(keys, of: two).isEmpty)
    }

    @Test func `a key that no message has room for is not shared, and keeps no other back`()
        async throws
    {
        let huge = "data:image/png;base64," + String(repeating: "A", count: 65_536)
        let keys = ["a", huge, "b"]
        let two = try await removeTogether(keys, on: ManualClock())
        try await eventually { two.statistics.invalidations == 2 }
        #expect(await remaining(keys, of: two) == [huge])
    }

    @Test(arguments: ["k", "/", "\u{0}", "\u{1F600}"])
    func `the longest key that is shared fits into a message`(character: String) throws {
        let limit = SharedMessage.longestName
        let key = String(repeating: character, count: limit / character.utf8.count)
        let entry = CacheEntryName(key: key, identifier: "", forced: nil)
        #expect(entry.isShareable)
        #expect(!CacheEntryName(key: key, identifier: "", forced: "png").isShareable)
        let transformer = AESGCMTransformer(key: Data(repeating: 1, count: 32))
        let message = SharedMessage(sender: SharedMessage.makeSender(), removed: [entry])
        let bytes = try #require(message.encoded(by: transformer))
        #expect(SharedMessage(bytes, by: transformer)?.entries.map(\.computedKey) == [key])
    }

    // MARK: Meanwhile

    @Test(arguments: 1...3)
    func `what is stored while a shared entry arrives stays on disk`(call: Int) async throws {
        let storage = InMemorySharedStorage()
        let one = try Machine(sharing: storage)
        try await one.cache.store(image, forKey: "a")
        await one.settle()
        let moment = Moment()
        let two = try Machine(sharing: storage, clock: moment.clock)
        let newer = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 3, height: 3))
        let isStored = Gate()
        // The entry was read and is looked at when this machine asks for the time.
        storage.faults.damage = { [cache = two.cache] bytes in
            moment.come(atCall: call) { cache.store(newer, forKey: "a") { _ in isStored.open() } }
            return bytes
        }
        let entry = CacheEntryName(key: "a", identifier: "", forced: nil)
        _ = try await two.cache.find(entry, extending: .none, priority: 0.5)
        await isStored.wait()
        await two.settle()
        two.cache.clearMemoryCache()
        #expect(try await two.cache.retrieveImageInDiskCache(forKey: "a")?.pixelWidth == 3)
    }
}

/// A clock that does something when it is read.
private final class Moment: Sendable {
    private let manual = ManualClock()
    private let work = Mutex<[@Sendable () -> Void]>([])

    var clock: WallClock {
        WallClock(
            now: { [self] in
                let next = work.withLock { $0.popLast() }
                next?()
                return manual.now
            },
            every: manual.clock.every
        )
    }

    /// Does something at a later reading, of which the first is number one.
    func come(atCall call: Int, _ last: @escaping @Sendable () -> Void) {
        work.withLock { $0 = [last] + Array(repeating: {}, count: call - 1) }
    }
}

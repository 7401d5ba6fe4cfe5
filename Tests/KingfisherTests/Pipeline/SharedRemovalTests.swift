import Foundation
import KingfisherTesting
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
        // They wait behind the store.
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
}

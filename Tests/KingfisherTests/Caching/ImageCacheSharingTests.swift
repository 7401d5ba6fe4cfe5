import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// Several caches of one folder in one process, and others who change the folder.
@Suite(.timeLimit(.minutes(1)))
struct ImageCacheSharingTests {
    private let folder: TemporaryDirectory
    private let one: ImageCache
    private let two: ImageCache

    init() throws {
        folder = try TemporaryDirectory()
        one = try ImageCache(name: "shared", cacheDirectoryURL: folder.url)
        two = try ImageCache(name: "shared", cacheDirectoryURL: folder.url)
    }

    private let bytes = TestImage.png()

    /// Stores and does not wait.
    private func storeBehind(_ key: String) { one.storeToDisk(bytes, forKey: key) }

    @Test func `what one cache stores and another removes is gone`() async throws {
        for number in 0..<200 {
            storeBehind("\(number)")
            try await two.removeImage(forKey: "\(number)")
        }
        await one.flushDisk()
        for number in 0..<200 { #expect(!one.isCached(forKey: "\(number)"), "\(number)") }
        #expect(one.diskStorage.statistics.count == 0)
    }

    @Test func `what waits in one cache is seen by another`() async throws {
        for number in 0..<200 {
            storeBehind("\(number)")
            #expect(two.imageCachedType(forKey: "\(number)") == .disk)
        }
        let found = try await two.retrieveImageInDiskCache(forKey: "199")
        #expect(found != nil)
    }

    @Test func `values of the disk layer see what waits, and come in their turn`() throws {
        for number in 0..<50 {
            one.storeToDisk(bytes, forKey: "a")
            #expect(try two.diskStorage.value(forKey: "a") == bytes, "\(number)")
            try two.diskStorage.remove(forKey: "a")
            #expect(!one.diskStorage.isCached(forKey: "a"))
        }
        one.storeToDisk(bytes, forKey: "a")
        try two.diskStorage.removeAll()
        #expect(!one.isCached(forKey: "a"))
    }

    @Test func `a change that a completion makes does not wait for itself`() async {
        await withCheckedContinuation { continuation in
            one.storeToDisk(bytes, forKey: "a") { [two] _ in
                #expect(throws: Never.self) {
                    try two.diskStorage.remove(forKey: "a")
                    try two.diskStorage.removeAll()
                }
                continuation.resume()
            }
        }
        #expect(!two.isCached(forKey: "a"))
    }

    @Test func `a file that others deleted is not cached`() async throws {
        try await one.storeToDisk(bytes, forKey: "a")
        let url = try #require(one.cacheFileURLIfOnDisk(forKey: "a"))
        try FileManager.default.removeItem(at: url)
        #expect(!one.isCached(forKey: "a"))
        #expect(one.cacheFileURLIfOnDisk(forKey: "a") == nil)
        #expect(!one.diskStorage.isCached(forKey: "a"))
        #expect(await one.imageCachedTypeAsync(forKey: "a") == .none)
    }

    @Test func `asking for the layer asynchronously does not open the folder on this thread`()
        async throws
    {
        final class Watching: ImageCache, @unchecked Sendable {
            let threads = Mutex<Set<pthread_t>>([])

            override func imageCachedType(
                forKey key: String,
                processorIdentifier identifier: String,
                forcedExtension: String?
            ) -> CacheType {
                threads.withLock { _ = $0.insert(pthread_self()) }
                return .disk
            }
        }
        let cache = Watching(memoryStorage: one.memoryStorage, diskStorage: one.diskStorage)
        let type = await withCheckedContinuation { continuation in
            cache.imageCachedTypeAsync(forKey: "a", callbackQueue: .untouch) {
                continuation.resume(returning: $0)
            }
            let isOnThisThread = cache.threads.withLock { $0.contains(pthread_self()) }
            #expect(!isOnThisThread)
        }
        #expect(type == .disk)
    }

    @Test func `an image larger than the size limit is not stored, and the others stay`()
        async throws
    {
        one.diskStorage.config.sizeLimit = UInt(bytes.count * 3)
        for key in ["a", "b"] { try await one.storeToDisk(bytes, forKey: key) }
        let error = await #expect(throws: KingfisherError.self) {
            try await one.storeToDisk(Data(count: bytes.count * 3 + 1), forKey: "c")
        }
        #expect(error?.localizedDescription.contains("size limit") == true)
        for key in ["a", "b"] { #expect(one.isCached(forKey: key)) }
    }

    @Test func `an override is asked when an async caller removes, and errors are kept`()
        async throws
    {
        final class Counting: ImageCache, @unchecked Sendable {
            let removals = Atomic(0)

            override func removeImage(
                forKey key: String,
                processorIdentifier identifier: String,
                forcedExtension: String?,
                fromMemory: Bool,
                fromDisk: Bool,
                callbackQueue: CallbackQueue,
                completionHandler: (@Sendable () -> Void)?
            ) {
                removals.add(1, ordering: .relaxed)
                super.removeImage(
                    forKey: key,
                    processorIdentifier: identifier,
                    forcedExtension: forcedExtension,
                    fromMemory: fromMemory,
                    fromDisk: fromDisk,
                    callbackQueue: callbackQueue,
                    completionHandler: completionHandler
                )
            }
        }
        let cache = Counting(memoryStorage: one.memoryStorage, diskStorage: one.diskStorage)
        await #expect(throws: DiskError.self) { try await cache.removeImage(forKey: "missing") }
        let removals = cache.removals.load(ordering: .relaxed)
        #expect(removals == 1)
    }
}

extension ImageCache {
    /// Waits until what was asked of the disk so far is done.
    fileprivate func flushDisk() async {
        await withCheckedContinuation { done in
            diskStorage.queue.enqueueAlone { done.resume() }
        }
    }
}

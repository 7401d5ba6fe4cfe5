import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// When a load completes that stores an image, an original, or both.
@Suite(.timeLimit(.minutes(1)))
struct StoringRulesTests {
    private typealias Handler = @Sendable (CacheStoreResult) -> Void

    /// A cache that says that it has stored when the test wants it to.
    ///
    /// `@unchecked` as the class above it; what it keeps is locked.
    private final class HeldCache: ImageCache, @unchecked Sendable {
        let images = Held()
        let originals = Held()

        override func store(
            _ image: KFCrossPlatformImage,
            original: Data? = nil,
            forKey key: String,
            options: KingfisherParsedOptionsInfo,
            toDisk: Bool = true,
            completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
        ) {
            images.keep(completionHandler)
        }

        override func storeToDisk(
            _ data: Data,
            forKey key: String,
            processorIdentifier identifier: String = "",
            forcedExtension: String? = nil,
            expiration: StorageExpiration? = nil,
            callbackQueue: CallbackQueue = .untouch,
            completionHandler: (@Sendable (CacheStoreResult) -> Void)? = nil
        ) {
            originals.keep(completionHandler)
        }
    }

    /// The completion of one store.
    private final class Held: Sendable {
        private let handler = Locked<Handler?>(nil)
        let arrived = Gate()

        var isEmpty: Bool { handler.value == nil }

        func keep(_ handler: Handler?) {
            self.handler.change { $0 = handler }
            arrived.open()
        }

        func end() {
            handler.value?(
                CacheStoreResult(memoryCacheResult: .success(()), diskCacheResult: .success(()))
            )
        }
    }

    private struct Load {
        let cache: HeldCache
        let completions = Locked(0)
        let completed = Gate()
    }

    private let folder: TemporaryDirectory
    private let source = Source.provider(
        RawImageDataProvider(data: TestImage.png(), cacheKey: "a")
    )

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func start(
        waits: Bool,
        keepsOriginal: Bool,
        name: String = "held"
    ) throws -> Load {
        let load = Load(cache: try HeldCache(name: name, cacheDirectoryURL: folder.url))
        let manager = KingfisherManager(downloader: ImageDownloader(name: name), cache: load.cache)
        var options: KingfisherOptionsInfo = [
            .processor(BlurImageProcessor(blurRadius: 1)), .callbackQueue(.untouch),
        ]
        if waits { options.append(.waitForCache) }
        if keepsOriginal { options.append(.cacheOriginalImage) }
        manager.retrieveImage(with: source, options: options) { _ in
            load.completions.change { $0 += 1 }
            load.completed.open()
        }
        return load
    }

    @Test(arguments: [true, false])
    func `MGR-30: without waiting it completes before anything is stored`(
        keepsOriginal: Bool
    )
        async throws
    {
        let load = try start(waits: false, keepsOriginal: keepsOriginal)
        await load.completed.wait()
        #expect(load.cache.originals.isEmpty == !keepsOriginal)
        load.cache.images.end()
        load.cache.originals.end()
        #expect(load.completions.value == 1)
    }

    @Test func `MGR-30: it waits for the image when that is all`() async throws {
        let load = try start(waits: true, keepsOriginal: false)
        await load.cache.images.arrived.wait()
        #expect(load.completions.value == 0)
        load.cache.images.end()
        await load.completed.wait()
        #expect(load.cache.originals.isEmpty)
    }

    @Test(arguments: [true, false])
    func `MGR-30: it waits for image and original, in any order`(isImageFirst: Bool) async throws {
        let load = try start(waits: true, keepsOriginal: true)
        await load.cache.images.arrived.wait()
        await load.cache.originals.arrived.wait()
        let stores = [load.cache.images, load.cache.originals]
        let (first, second) = isImageFirst ? (stores[0], stores[1]) : (stores[1], stores[0])
        first.end()
        for _ in 0..<100 { await Task.yield() }
        #expect(load.completions.value == 0)
        second.end()
        await load.completed.wait()
        // A cache of somebody else's may call back twice.
        first.end()
        second.end()
        #expect(load.completions.value == 1)
    }

    @Test func `MGR-31: two writes that end at the same time complete the load once`() async throws
    {
        for number in 0..<100 {
            let load = try start(waits: true, keepsOriginal: true, name: "held-\(number)")
            await load.cache.images.arrived.wait()
            await load.cache.originals.arrived.wait()
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                index == 0 ? load.cache.images.end() : load.cache.originals.end()
            }
            await load.completed.wait()
            #expect(load.completions.value == 1)
        }
    }

    @Test(arguments: [false, true])
    func `W-10: a cancelled load does not wait for the disk`(keepsOriginal: Bool) async throws {
        let cache = try HeldCache(name: "held", cacheDirectoryURL: folder.url)
        let manager = KingfisherManager(downloader: ImageDownloader(name: "held"), cache: cache)
        var options: KingfisherOptionsInfo = [
            .processor(BlurImageProcessor(blurRadius: 1)), .waitForCache,
        ]
        if keepsOriginal { options.append(.cacheOriginalImage) }
        let load = Task { [source, options] in
            try await manager.retrieveImage(with: source, options: options)
        }
        await cache.images.arrived.wait()
        if keepsOriginal { await cache.originals.arrived.wait() }
        load.cancel()
        let error = await #expect(throws: KingfisherError.self) { try await load.value }
        guard case .requestError(reason: .dataProviderCancelled)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        cache.images.end()
        cache.originals.end()
    }
}

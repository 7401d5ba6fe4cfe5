import Foundation
import KingfisherTesting
import SystemPackage
import TestSupport
import Testing

@testable import Kingfisher

/// Where the handlers of a cache run, which layers answer, and when it cleans.
@Suite(.timeLimit(.minutes(1)))
struct ImageCacheRulesTests {
    private let folder: TemporaryDirectory
    private let clock = ManualClock()
    private let cache: ImageCache
    private let image = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 8, height: 6))

    init() throws {
        folder = try TemporaryDirectory()
        cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(
                config: .init(totalCostLimit: .max),
                clock: clock.clock
            ),
            diskStorage: try DiskStorage.Backend(
                config: DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder.url),
                clock: clock.clock
            )
        )
    }

    @Test func `CAC-2, CAC-3: without the disk the handler is called before store returns`() {
        let calls = Locked(0)
        cache.store(image, forKey: "a", toDisk: false) { result in
            if case .success = result.diskCacheResult { calls.change { $0 += 1 } }
        }
        #expect(calls.value == 1)
        #expect(cache.imageCachedType(forKey: "a") == .memory)
    }

    @Test func `CAC-5: an error that is none of ours is wrapped`() throws {
        struct Stubborn: DataTransformable, Sendable {
            struct Refusal: Error {}
            static let empty = Stubborn()
            func toData() throws -> Data { throw Refusal() }
            static func fromData(_ data: Data) throws -> Stubborn { throw Refusal() }
        }
        let config = DiskStorage.Config(name: "other", sizeLimit: 0, directory: folder.url)
        let backend = try DiskStorage.Backend<Stubborn>(config: config)
        let error = #expect(throws: KingfisherError.self) {
            try backend.store(value: Stubborn(), forKey: "a")
        }
        guard case .cacheError(.cannotConvertToData) = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
    }

    @Test func `CAC-5: an error of the disk has the disk's reason`() throws {
        let failure = cache.diskStorage.storeError(
            .cannotWrite(path: "/folder/a", key: "a", .noSpace),
            key: "a",
            forcedExtension: nil,
            data: TestImage.png()
        )
        guard case .cacheError(.cannotCreateCacheFile) = failure else {
            Issue.record("the error is \(failure)")
            return
        }
        #expect(failure.localizedDescription.contains("No space left on device"))
        #expect(failure.localizedDescription.contains("the space on the disk"))
        #expect(!failure.localizedDescription.contains("toData"))
    }

    @Test func `CAC-6: storeToDisk leaves memory alone, and takes the storage's expiration`()
        async throws
    {
        cache.diskStorage.config.expiration = .seconds(30)
        try await cache.storeToDisk(TestImage.png(), forKey: "a")
        #expect(cache.imageCachedType(forKey: "a") == .disk)
        try await cache.storeToDisk(TestImage.png(), forKey: "b", expiration: .days(1))
        clock.advance(by: 30)
        #expect(cache.imageCachedType(forKey: "a") == .none)
        #expect(cache.imageCachedType(forKey: "b") == .disk)
    }

    @Test func `CAC-9: a lookup answers on the main thread unless told otherwise`() async {
        let isMain = await withCheckedContinuation { continuation in
            cache.retrieveImage(forKey: "none", options: nil) { _ in
                continuation.resume(returning: MainQueue.isCurrent)
            }
        }
        #expect(isMain)
    }

    @Test func `CAC-13: an image from disk can be decoded before it is given`() async throws {
        try await cache.store(image, forKey: "a")
        cache.clearMemoryCache()
        let result = try await cache.retrieveImage(forKey: "a", options: [.backgroundDecode])
        #expect(result.cacheType == .disk)
        #expect(result.image?.size == image.size)
    }

    @Test func `CAC-17: clearing notifies no observer, and its handler is on the main thread`()
        async throws
    {
        try await cache.store(image, forKey: "a")
        let notes = Locked(0)
        let observer = NotificationCenter.default.addObserver(
            forName: .KingfisherDidCleanDiskCache,
            object: nil,
            queue: nil
        ) { [cache] note in
            if note.object as? ImageCache === cache { notes.change { $0 += 1 } }
        }
        let isMain = await withCheckedContinuation { continuation in
            cache.clearDiskCache { continuation.resume(returning: MainQueue.isCurrent) }
        }
        NotificationCenter.default.removeObserver(observer)
        #expect(isMain)
        #expect(notes.value == 0)
        #expect(try await cache.diskStorageSize == 0)
    }

    @Test func `CAC-19: a store that passes the limit trims by itself`() async throws {
        cache.diskStorage.config.sizeLimit = 100
        for number in 0..<11 {
            let data = Data(repeating: UInt8(number), count: 10)
            try await cache.storeToDisk(data, forKey: "\(number)")
            clock.advance(by: 1)
        }
        #expect(try await cache.diskStorageSize == 50)
        #expect(cache.isCached(forKey: "10"))
        #expect(!cache.isCached(forKey: "5"))
    }

    @Test func `CAC-20: asking for the layer extends neither`() async throws {
        try await cache.store(image, forKey: "a")
        clock.advance(by: 299)
        #expect(cache.imageCachedType(forKey: "a") == .memory)
        clock.advance(by: 1)
        #expect(cache.imageCachedType(forKey: "a") == .disk)
        clock.advance(by: 7 * 86_400 - 300)
        #expect(cache.imageCachedType(forKey: "a") == .none)
    }

    @Test func `CAC-21: the layer is reported on the requested queue`() async throws {
        cache.store(image, forKey: "a", toDisk: false, completionHandler: nil)
        let found = Locked(CacheType.none)
        cache.imageCachedTypeAsync(forKey: "a", callbackQueue: .untouch) { type in
            found.change { $0 = type }
        }
        #expect(found.value == .memory)
        try await cache.storeToDisk(TestImage.png(), forKey: "b")
        let (type, isMain) = await withCheckedContinuation { continuation in
            cache.imageCachedTypeAsync(forKey: "b") { type in
                continuation.resume(returning: (type, MainQueue.isCurrent))
            }
        }
        #expect(type == .disk)
        #expect(isMain)
        #expect(await cache.imageCachedTypeAsync(forKey: "c") == .none)
    }

    @Test func `CAC-23: the size of the disk is reported on the main thread`() async throws {
        try await cache.storeToDisk(Data(count: 12), forKey: "a")
        let (size, isMain) = await withCheckedContinuation { continuation in
            cache.calculateDiskStorageSize { result in
                continuation.resume(returning: (try? result.get(), MainQueue.isCurrent))
            }
        }
        #expect(size == 12)
        #expect(isMain)
    }

    @Test func `CAC-28: what left memory is found on disk`() async throws {
        try await cache.store(image, forKey: "a")
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .memory)
        clock.advance(by: 300)
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .disk)
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .memory)
    }

    @Test func `CAC-29: limits and expirations change on a live cache`() async throws {
        cache.memoryStorage.config.expiration = .seconds(10)
        cache.diskStorage.config.expiration = .seconds(20)
        try await cache.store(image, forKey: "a")
        clock.advance(by: 10)
        #expect(cache.imageCachedType(forKey: "a") == .disk)
        clock.advance(by: 10)
        #expect(cache.imageCachedType(forKey: "a") == .none)
        cache.memoryStorage.config.totalCostLimit = 0
        // Not the one above, which is found as long as somebody has it.
        cache.store(
            KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 8, height: 6)),
            forKey: "b",
            toDisk: false,
            completionHandler: nil
        )
        #expect(cache.imageCachedType(forKey: "b") == .none)
    }

    private struct Illiterate: CacheSerializer {
        func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }

        func image(
            with data: Data,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? { nil }
    }

    @Test func `CAC-26: async store throws the disk's error alone, and memory has the image`() async
    {
        let error = await #expect(throws: KingfisherError.self) {
            try await cache.store(image, forKey: "a", cacheSerializer: Illiterate())
        }
        guard case .cacheError(.cannotSerializeImage) = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
        #expect(cache.imageCachedType(forKey: "a") == .memory)
    }

    @Test func `CAC-27, OPT-9: a cache that is asked itself knows no manager's defaults`()
        async throws
    {
        let manager = KingfisherManager(downloader: ImageDownloader(name: "test"), cache: cache)
        manager.defaultOptions = [
            .processor(BlackWhiteProcessor()), .cacheMemoryOnly, .onlyFromCache,
        ]
        try await cache.store(image, forKey: "a", options: KingfisherParsedOptionsInfo(nil))
        #expect(cache.retrieveImageInMemoryCache(forKey: "a", options: nil) === image)
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImageInDiskCache(forKey: "a", options: nil) != nil)
        #expect(try await cache.retrieveImage(forKey: "a", options: nil).cacheType == .disk)
        #expect(try await cache.retrieveImage(forKey: "a", options: []).cacheType == .memory)
    }

    @Test func `SER-3, W-45: a still image made of a GIF is not stored, and the result says so`()
        async throws
    {
        let result = await withCheckedContinuation { continuation in
            cache.store(
                image,
                original: TestImage.gif,
                forKey: "a",
                options: KingfisherParsedOptionsInfo([.processor(BlackWhiteProcessor())]),
                completionHandler: { continuation.resume(returning: $0) }
            )
        }
        guard case .failure(.cacheError(.cannotSerializeImage)) = result.diskCacheResult else {
            Issue.record("the result is \(result.diskCacheResult)")
            return
        }
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: processor) == .memory)
        cache.clearMemoryCache()
        #expect(cache.imageCachedType(forKey: "a", processorIdentifier: processor) == .none)
    }

    private var processor: String { BlackWhiteProcessor().identifier }
}

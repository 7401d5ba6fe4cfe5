import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Kingfisher

@Suite(.timeLimit(.minutes(1)))
struct ImageCacheTests {
    let folder: TemporaryDirectory
    let cache: ImageCache
    let image = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 8, height: 6))

    init() throws {
        folder = try TemporaryDirectory()
        cache = try ImageCache(name: "test", cacheDirectoryURL: folder.url)
    }

    @Test func `CAC-1: an empty name traps`() async {
        await #expect(processExitsWith: .failure) { _ = ImageCache(name: "") }
    }

    @Test func `CAC-2: memory has the image when store returns`() {
        cache.store(image, forKey: "key")
        #expect(cache.retrieveImageInMemoryCache(forKey: "key") === image)
    }

    @Test func `CAC-4: a serializer without bytes is reported, memory has the image`() async {
        struct Refusing: CacheSerializer {
            func data(with image: KFCrossPlatformImage, original: Data?) -> Data? { nil }
            func image(
                with data: Data,
                options: KingfisherParsedOptionsInfo
            ) -> KFCrossPlatformImage? { nil }
        }
        let error = await #expect(throws: KingfisherError.self) {
            try await cache.store(image, forKey: "key", cacheSerializer: Refusing())
        }
        #expect(error?.errorCode == 3008)
        #expect(cache.imageCachedType(forKey: "key") == .memory)
    }

    @Test func `CAC-7: removing takes both layers, a missing file throws`() async throws {
        try await cache.store(image, forKey: "key")
        try await cache.removeImage(forKey: "key")
        #expect(cache.imageCachedType(forKey: "key") == .none)
        await #expect(throws: (any Error).self) { try await cache.removeImage(forKey: "key") }
    }

    @Test func `CAC-8: memory, disk with promotion, none`() async throws {
        try await cache.store(image, forKey: "key")
        #expect(try await cache.retrieveImage(forKey: "key").cacheType == .memory)
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImage(forKey: "key").cacheType == .disk)
        #expect(cache.imageCachedType(forKey: "key") == .memory)
        #expect(try await cache.retrieveImage(forKey: "none").cacheType == .none)
    }

    @Test func `CAC-10: the disk alone is not promoted`() async throws {
        try await cache.store(image, forKey: "key")
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImageInDiskCache(forKey: "key") != nil)
        #expect(cache.imageCachedType(forKey: "key") == .disk)
    }

    @Test func `CAC-11: loadDiskFileSynchronously reads before the call returns`() async throws {
        try await cache.store(image, forKey: "key")
        cache.clearMemoryCache()
        let found = Locked(CacheType.none)
        cache.retrieveImage(
            forKey: "key",
            options: [.loadDiskFileSynchronously],
            callbackQueue: .untouch
        ) { result in
            let type = (try? result.get())?.cacheType ?? .none
            found.change { $0 = type }
        }
        #expect(found.value == .disk)
    }

    @Test func `CAC-12: undecodable bytes are a miss`() async throws {
        try await cache.storeToDisk(Data("no picture".utf8), forKey: "key")
        #expect(try await cache.retrieveImage(forKey: "key").cacheType == .none)
    }

    @Test func `CAC-15: clearing empties both layers`() async throws {
        try await cache.store(image, forKey: "key")
        await cache.clearCache()
        #expect(cache.imageCachedType(forKey: "key") == .none)
        #expect(try await cache.diskStorageSize == 0)
    }

    @Test func `a store that still waits is dropped by clearing`() async throws {
        for index in 0..<50 {
            cache.store(image, forKey: "\(index)", completionHandler: nil)
        }
        await cache.clearCache()
        for index in 0..<50 { #expect(!cache.isCached(forKey: "\(index)")) }
    }

    @Test func `CAC-16 CAC-18: cleaning reports what it removed and always ends`() async throws {
        try await cache.storeToDisk(Data([1]), forKey: "short", expiration: .seconds(0.01))
        let name = cache.hash(forKey: "short")
        while cache.isCached(forKey: "short") { await Task.yield() }
        let seen = Locked<[String]>([])
        let posted = Gate()
        // Filtering by object finds no Swift objects in the Foundation of Swift 6.2.
        let observer = NotificationCenter.default.addObserver(
            forName: .KingfisherDidCleanDiskCache,
            object: nil,
            queue: nil
        ) { [cache] note in
            guard note.object as? ImageCache === cache else { return }
            let names = note.userInfo?[KingfisherDiskCacheCleanedHashKey] as? [String] ?? []
            seen.change { $0 = names }
            posted.open()
        }
        await cache.cleanExpiredDiskCache()
        await posted.wait()
        NotificationCenter.default.removeObserver(observer)
        #expect(seen.value == [name])
        try FileManager.default.removeItem(at: folder.url)
        await cache.cleanExpiredDiskCache()
    }

    @Test func `CAC-22: names and paths`() async throws {
        #expect(cache.hash(forKey: "key", forcedExtension: "jpg").hasSuffix(".jpg"))
        #expect(cache.cachePath(forKey: "key").hasSuffix(cache.hash(forKey: "key")))
        #expect(cache.cacheFileURLIfOnDisk(forKey: "key") == nil)
        try await cache.store(image, forKey: "key")
        let url = try #require(cache.cacheFileURLIfOnDisk(forKey: "key"))
        #expect(KFCrossPlatformImage(contentsOfFile: url.path)?.size == image.size)
    }

    @Test func `CAC-24: the memory cost counts an image under two keys twice`() {
        cache.store(image, forKey: "one", toDisk: false)
        cache.store(image, forKey: "two", toDisk: false)
        #expect(cache.memoryStorageCacheCost == 2 * image.cacheCost)
    }

    @Test func `CAC-25: concurrent stores of many keys make one file each`() async throws {
        try await withThrowingTaskGroup { group in
            for index in 0..<100 {
                group.addTask { [cache, image] in try await cache.store(image, forKey: "\(index)") }
            }
            try await group.waitForAll()
        }
        let files = try FileManager.default.contentsOfDirectory(
            at: cache.diskStorage.directoryURL,
            includingPropertiesForKeys: nil,
            options: .skipsHiddenFiles
        )
        #expect(files.count == 100)
    }

    @Test func `CAC-30: the processor is part of the key`() async throws {
        let options: KingfisherOptionsInfo = [
            .processor(RoundCornerImageProcessor(cornerRadius: 2))
        ]
        try await cache.store(
            image,
            forKey: "key",
            options: KingfisherParsedOptionsInfo(options)
        )
        #expect(try await cache.retrieveImage(forKey: "key").cacheType == .none)
        #expect(try await cache.retrieveImage(forKey: "key", options: options).cacheType == .memory)
    }

    @Test func `DSK-12: a folder that cannot be made is an error of the throwing init`() throws {
        let file = folder.file("file")
        try Data().write(to: file)
        let error = #expect(throws: KingfisherError.self) {
            try ImageCache(name: "test", cacheDirectoryURL: file)
        }
        #expect(error?.errorCode == 3005)
    }

    @Test func `W-23: the disk has a limit by default`() {
        #expect((1...1_000_000_000).contains(cache.diskStorage.config.sizeLimit))
    }

    @Test func `caches in memory alone share nothing`() {
        let caches = (0..<2).map { _ in ImageCache(memoryLimit: 1 << 20) }
        // Storages of one folder share the writes that are not on disk yet.
        #expect(caches[0].diskStorage.directoryURL != caches[1].diskStorage.directoryURL)
    }
}

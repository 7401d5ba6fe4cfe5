import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Kingfisher

/// The names of entries, in memory, on disk and in messages, and entries that share a name.
@Suite(.timeLimit(.minutes(1)))
struct CacheEntryNameTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func cache(_ change: (inout DiskStorage.Config) -> Void = { _ in }) throws -> ImageCache
    {
        var config = DiskStorage.Config(name: "names", sizeLimit: 0, directory: folder.url)
        change(&config)
        return ImageCache(
            memoryStorage: .init(config: .init(totalCostLimit: 1 << 20)),
            diskStorage: try DiskStorage.Backend(config: config)
        )
    }

    private func image(_ width: Int) -> KFCrossPlatformImage {
        KFCrossPlatformImage(bitmap: TestImage.bitmap(width: width, height: 2))
    }

    private static let keys = [
        "k", "http://h/a.png", "https://example.test/@user/33@2x.png", "icon@2x.png", "@", "a@",
        "@a",
        "a@b", "a@b@c", "%/", "a%40b", "https://me:word@example.test/a.png",
    ]

    @Test(arguments: keys, [true, false])
    func `KEY-1, DSK-3: the cache and its storages agree on a key`(
        key: String,
        isHashed: Bool
    ) async throws {
        // Such a key is no name of a file.
        guard isHashed || !key.contains("/") else { return }
        let cache = try cache { $0.usesHashedFileName = isHashed }
        for (width, identifier) in ["", "p", "p@q"].enumerated() {
            let text = identifier.isEmpty ? key : "\(key)@\(identifier)"
            let name = isHashed ? FileNaming().name(forKey: text) : text
            try await cache.store(image(width + 1), forKey: key, processorIdentifier: identifier)
            #expect(cache.isCached(forKey: key, processorIdentifier: identifier))
            #expect(cache.memoryStorage.isCached(forKey: text))
            #expect(cache.memoryStorage.value(forKey: text)?.size.width == CGFloat(width + 1))
            #expect(cache.diskStorage.isCached(forKey: text))
            #expect(try cache.diskStorage.value(forKey: text) != nil)
            let file = cache.diskStorage.cacheFileURL(forKey: text)
            #expect(file.lastPathComponent == name)
            #expect(FileManager.default.fileExists(atPath: file.path))
            #expect(cache.hash(forKey: key, processorIdentifier: identifier) == name)
            let found = cache.cacheFileURLIfOnDisk(forKey: key, processorIdentifier: identifier)
            #expect(found == file)
            // Stored by the storages, found by the cache.
            await cache.clearCache()
            #expect(!cache.isCached(forKey: key, processorIdentifier: identifier))
            cache.memoryStorage.store(value: image(9), forKey: text)
            #expect(cache.isCached(forKey: key, processorIdentifier: identifier))
            cache.clearMemoryCache()
            try cache.diskStorage.store(value: TestImage.png(), forKey: text)
            let type = cache.imageCachedType(forKey: key, processorIdentifier: identifier)
            #expect(type == .disk)
            try await cache.removeImage(forKey: key, processorIdentifier: identifier)
            #expect(!cache.diskStorage.isCached(forKey: text))
        }
    }

    /// All pairs of the computed key `a@b@c`.
    private static let pairs = [("a", "b@c"), ("a@b", "c"), ("a@b@c", "")]

    /// Stores an image without waiting for the disk.
    private func store(
        _ image: KFCrossPlatformImage,
        _ key: String,
        _ identifier: String,
        in cache: ImageCache,
        toDisk: Bool = true
    ) {
        cache.store(image, forKey: key, processorIdentifier: identifier, toDisk: toDisk)
    }

    private func found(in cache: ImageCache, at layer: CacheType) -> [String] {
        Self.pairs.filter { key, identifier in
            cache.imageCachedType(forKey: key, processorIdentifier: identifier) == layer
        }
        .map(\.0)
    }

    @Test(arguments: 0..<3, [true, false])
    func `KEY-9: of pairs with the same computed key only the stored one is found`(
        number: Int,
        isHashed: Bool
    ) async throws {
        let (key, identifier) = Self.pairs[number]
        let change = { (config: inout DiskStorage.Config) in config.usesHashedFileName = isHashed }
        let shown = image(1)
        do {
            let cache = try cache(change)
            let (other, otherIdentifier) = Self.pairs[(number + 1) % 3]
            store(image(2), other, otherIdentifier, in: cache)
            store(shown, key, identifier, in: cache)
            // While the file waits to be written too.
            #expect(found(in: cache, at: .memory) == [key])
            cache.clearMemoryCache()
            #expect(found(in: cache, at: .disk) == [key])
            await cache.flush()
            #expect(found(in: cache, at: .disk) == [key])
            #expect(try await images(in: cache) == [key])
            // Evicted from memory, but shown somewhere.
            store(shown, key, identifier, in: cache, toDisk: false)
            cache.memoryStorage.store.limits = .init(cost: 0)
            #expect(found(in: cache, at: .memory) == [key])
            #expect(try await images(in: cache) == [key])
            await cache.flush()
        }
        withExtendedLifetime(shown) {}
        // From the log, and from the files alone.
        #expect(try await images(in: try cache(change)) == [key])
        let log = folder.file("com.onevcat.Kingfisher.ImageCache.names/.kingfisher.log")
        try FileManager.default.removeItem(at: log)
        #expect(try await images(in: try cache(change)) == [key])
    }

    private func images(in cache: ImageCache) async throws -> [String] {
        var found: [String] = []
        for (key, identifier) in Self.pairs {
            var options = KingfisherParsedOptionsInfo(nil)
            options.processor = Named(identifier: identifier)
            let result = try await cache.retrieveImage(forKey: key, options: options)
            guard let image = result.image else { continue }
            #expect(image.size.width == 1)
            found.append(key)
        }
        return found
    }

    private struct Named: ImageProcessor {
        let identifier: String

        func process(
            item: ImageProcessItem,
            options: KingfisherParsedOptionsInfo
        ) -> KFCrossPlatformImage? {
            DefaultImageProcessor.default.process(item: item, options: options)
        }
    }

    @Test func `KEY-9: an entry of a version without divisions has a key without an at sign`()
        throws
    {
        let cache = try cache()
        try cache.diskStorage.store.store(
            TestImage.png(),
            named: FileNaming().name(forKey: "a@b@c"),
            key: "a@b@c",
            expiration: .never
        )
        #expect(found(in: cache, at: .disk) == ["a"])
    }

    @Test func `KEY-9: records of absent images of the same computed key are not mixed up`()
        async throws
    {
        let cache = try cache()
        let names = Self.pairs.map { CacheEntryName(key: $0, identifier: $1, forced: nil) }
        let response = TransferResponse(
            url: try #require(URL(string: "https://example.test/a")),
            statusCode: 404,
            fields: []
        )
        let record = try #require(HTTPRecord(response, time: Date()) { _ in nil })
        for name in names {
            cache.noteAbsence(record, of: name, remaining: 60)
            await cache.flush()
            for other in names {
                #expect(try await (cache.absence(of: other) != nil) == (other == name))
            }
        }
    }

    @Test func `the processors of a key are distinguished from those of other keys`() throws {
        let store = try cache().diskStorage.store
        for (number, (key, identifier)) in (Self.pairs + [("a", ""), ("ab", "p")]).enumerated() {
            let name = CacheEntryName(key: key, identifier: identifier, forced: nil)
            try store.store(
                Data(count: 1),
                named: "\(number)",
                key: name.computedKey,
                division: name.division,
                expiration: .never
            )
        }
        #expect(store.identifiers(ofKey: "a") == ["b@c", ""])
        #expect(store.identifiers(ofKey: "a@b") == ["c"])
        #expect(store.identifiers(ofKey: "a@b@c") == [""])
        #expect(store.identifiers(ofKey: "b").isEmpty)
    }
}

import Foundation
import TestSupport
import Testing

@testable import Kingfisher

/// The public disk layer, as far as it is more than its store.
@Suite(.timeLimit(.minutes(1)))
struct DiskStorageTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func config(
        _ change: (inout DiskStorage.Config) -> Void = { _ in }
    )
        -> DiskStorage.Config
    {
        var config = DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder.url)
        change(&config)
        return config
    }

    private func backend(
        _ change: (inout DiskStorage.Config) -> Void = { _ in }
    ) throws -> DiskStorage.Backend<Data> {
        try DiskStorage.Backend(config: config(change))
    }

    private func bytes(_ text: String) -> Data { Data(text.utf8) }

    // MARK: Walls

    @Test(arguments: ["../../x", "../x", "a/../../../x", "..", "x/.."])
    func `a name cannot lead out of the base folder`(name: String) throws {
        let base = folder.file("base/inner")
        let cache = try ImageCache(name: name, cacheDirectoryURL: base)
        let path = cache.diskStorage.directoryURL.standardizedFileURL.path
        #expect(path.hasPrefix(base.standardizedFileURL.path + "/"), "\(path)")
    }

    @Test func `the index has no passwords, and no keys where they are hashed`() throws {
        let key = "https://user:secret@host.test/a.png?token=t0ken"
        let open = try backend()
        try open.store(value: bytes("x"), forKey: key)
        let log = open.directoryURL.appendingPathComponent(".kingfisher.log")
        #expect(try Data(contentsOf: log).range(of: Data("secret".utf8)) == nil)
        #expect(open.entries.first?.key == "https://host.test/a.png?token=t0ken")
        let closed = try DiskStorage.Backend<Data>(
            config: {
                var config = DiskStorage.Config(name: "closed", sizeLimit: 0, directory: folder.url)
                config.hashesKeysInIndex = true
                return config
            }()
        )
        try closed.store(value: bytes("x"), forKey: key)
        let closedLog = closed.directoryURL.appendingPathComponent(".kingfisher.log")
        #expect(try Data(contentsOf: closedLog).range(of: Data("t0ken".utf8)) == nil)
        #expect(try closed.value(forKey: key) == bytes("x"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a folder that cannot be opened is a miss, not an error`() async throws {
        let base = folder.file("base")
        try bytes("in the way").write(to: base)
        let cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: .max)),
            diskStorage: DiskStorage.Backend(
                notThrowing: config {
                    $0.cachePathBlock = { _, _ in base.appendingPathComponent("cache") }
                }
            )
        )
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .none)
        #expect(!cache.isCached(forKey: "a"))
    }

    // MARK: A folder that cannot be made

    @Test func `DSK-11: without a folder a store fails, and goes on when there is one`() throws {
        let base = folder.file("base")
        try bytes("in the way").write(to: base)
        let backend = DiskStorage.Backend<Data>(
            notThrowing: config {
                $0.cachePathBlock = {
                    _,
                    _ in base.appendingPathComponent("cache")
                }
            }
        )
        let notReady = #expect(throws: KingfisherError.self) {
            try backend.store(value: bytes("x"), forKey: "a")
        }
        guard case .cacheError(.diskStorageIsNotReady) = notReady else {
            Issue.record("the error is \(String(describing: notReady))")
            return
        }
        #expect(throws: KingfisherError.self) { try backend.value(forKey: "a") }
        #expect(!backend.isCached(forKey: "a"))
        try FileManager.default.removeItem(at: base)
        try backend.store(value: bytes("x"), forKey: "a")
        #expect(try backend.value(forKey: "a") == bytes("x"))
        #expect(backend.isCached(forKey: "a"))
    }

    @Test func `a cache whose folder cannot be made works in memory, and recovers`() async throws {
        let base = folder.file("base")
        try bytes("in the way").write(to: base)
        let cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: .max)),
            diskStorage: DiskStorage.Backend(
                notThrowing: config {
                    $0.cachePathBlock = { _, _ in
                        base.appendingPathComponent("cache")
                    }
                }
            )
        )
        let image = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 2, height: 2))
        await #expect(throws: KingfisherError.self) { try await cache.store(image, forKey: "a") }
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .memory)
        try FileManager.default.removeItem(at: base)
        try await cache.store(image, forKey: "a")
        cache.clearMemoryCache()
        #expect(try await cache.retrieveImage(forKey: "a").cacheType == .disk)
    }

    // MARK: Options

    @Test func `withoutOverwriting keeps what is there and valid`() throws {
        let backend = try backend()
        try backend.store(value: bytes("old"), forKey: "a", writeOptions: .withoutOverwriting)
        let error = #expect(throws: KingfisherError.self) {
            try backend.store(value: bytes("new"), forKey: "a", writeOptions: .withoutOverwriting)
        }
        #expect(error?.errorCode == 3009)
        #expect(try backend.value(forKey: "a") == bytes("old"))
        try backend.store(value: bytes("new"), forKey: "a", writeOptions: .atomic)
        #expect(try backend.value(forKey: "a") == bytes("new"))
    }

    @Test func `the option for disk writes reaches the disk`() async throws {
        let cache = try ImageCache(name: "test", cacheDirectoryURL: folder.url)
        let options = KingfisherParsedOptionsInfo([.diskStoreWriteOptions(.withoutOverwriting)])
        let image = KFCrossPlatformImage(bitmap: TestImage.bitmap(width: 2, height: 2))
        try await cache.store(image, forKey: "a", options: options)
        await #expect(throws: KingfisherError.self) {
            try await cache.store(image, forKey: "a", options: options)
        }
        try await cache.store(image, forKey: "a")
    }

    @Test func `encrypted files are found again with the key`() throws {
        let key = Data((0..<32).map { UInt8($0) })
        let secret = bytes("a secret that nobody may read")
        do {
            let backend = try backend { $0.transformer = AESGCMTransformer(key: key) }
            try backend.store(value: secret, forKey: "a")
            let file = try Data(contentsOf: backend.cacheFileURL(forKey: "a"))
            #expect(file.range(of: bytes("secret")) == nil)
            #expect(try backend.value(forKey: "a") == secret)
        }
        let again = try backend { $0.transformer = AESGCMTransformer(key: key) }
        #expect(try again.value(forKey: "a") == secret)
    }

    @Test func `a key of an impossible length traps`() async {
        await #expect(processExitsWith: .failure) { _ = AESGCMTransformer(key: Data(count: 31)) }
    }

    @Test func `writes can wait for the medium, from now on or no more`() throws {
        let backend = try backend { $0.synchronizesWrites = true }
        #expect(backend.store.syncs)
        try backend.store(value: bytes("x"), forKey: "a")
        backend.config.synchronizesWrites = false
        #expect(!backend.store.syncs)
        #expect(try backend.value(forKey: "a") == bytes("x"))
    }

    // MARK: Statistics

    @Test func `statistics count hits, misses with their reasons, and what left`() throws {
        let backend = try backend()
        try backend.store(value: bytes("one"), forKey: "a")
        try backend.store(value: bytes("twelve"), forKey: "b")
        try backend.store(value: bytes("x"), forKey: "c")
        _ = try backend.value(forKey: "a")
        _ = try backend.value(forKey: "none")
        try bytes("ONE").write(to: backend.cacheFileURL(forKey: "a"))
        _ = try backend.value(forKey: "a")
        try backend.remove(forKey: "c")
        let statistics = backend.statistics
        #expect(statistics.hits == 1)
        #expect(statistics.absences == 1)
        #expect(statistics.damagedReads == 1)
        #expect(statistics.staleReads == 0)
        #expect(statistics.misses == 2)
        #expect(statistics.stores == 3)
        #expect(statistics.damaged == 1)
        #expect(statistics.removals == 1)
        #expect(statistics.count == 1)
        #expect(statistics.size == 6)
    }
}

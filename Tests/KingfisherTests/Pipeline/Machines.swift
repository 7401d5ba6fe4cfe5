import Foundation
import KingfisherTesting
import TestSupport
import Testing

@testable import Kingfisher

/// A manager with its own folder and memory, as on a machine of its own.
struct Machine {
    let folder: TemporaryDirectory
    let cache: ImageCache
    let manager: KingfisherManager

    init(
        _ transport: FakeTransport? = nil,
        sharing storage: (any SharedImageStorage)?,
        settings: SharedStorageSettings = .patient,
        clock: WallClock = .system,
        transformer: (any DiskDataTransformer)? = nil
    ) throws {
        folder = try TemporaryDirectory()
        var config = DiskStorage.Config(name: "test", sizeLimit: 0, directory: folder.url)
        config.transformer = transformer
        cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(
                config: MemoryStorage.Config(totalCostLimit: 64 << 20),
                clock: clock
            ),
            diskStorage: try DiskStorage.Backend(config: config, clock: clock)
        )
        let downloader =
            transport.map { ImageDownloader(name: "machine", transport: $0) }
            ?? ImageDownloader(name: "machine")
        downloader.downloadTimeout = 600
        manager = KingfisherManager(downloader: downloader, cache: cache)
        cache.useSharedStorage(storage, settings: settings)
    }

    func load(
        _ url: URL,
        _ options: KingfisherOptionsInfo = []
    ) async throws
        -> RetrieveImageResult
    {
        try await manager.retrieveImage(with: .network(url), options: options)
    }

    /// Replaces the folder of the disk cache by a file.
    func breakDisk() throws {
        let folder = cache.diskStorage.directoryURL
        // Otherwise the index, which is read in the background, creates the folder again.
        try cache.diskStorage.store.prepare()
        try FileManager.default.removeItem(at: folder)
        try Data().write(to: folder)
    }

    /// Waits until everything is on disk and sent to the shared storage.
    func settle() async { await cache.flush() }

    var statistics: SharedStorageStatistics {
        cache.sharedStorageStatistics ?? SharedStorageStatistics()
    }

    func isOnDisk(_ url: URL) async -> Bool {
        await cache.flush()
        return cache.diskStorage.isCached(forKey: url.cacheKey)
    }
}

/// Waits until a condition holds, or the test's time is over.
func eventually(_ condition: () -> Bool) async throws {
    while !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}

extension SharedStorageSettings {
    /// Without time-outs that a busy machine could reach.
    static var patient: SharedStorageSettings {
        var settings = SharedStorageSettings()
        settings.timeout = .seconds(100_000_000)
        settings.leaseWait = .seconds(100_000_000)
        settings.leaseDuration = .seconds(100_000_000)
        return settings
    }
}

extension ManualClock {
    /// Advances in small steps until a task has ended.
    func advance<Value: Sendable>(until task: Task<Value, any Error>) async throws -> Value {
        let isOver = Locked(false)
        let watch = Task {
            _ = await task.result
            isOver.change { $0 = true }
        }
        while !isOver.value {
            try Task.checkCancellation()
            advance(by: 0.02)
            await Task.yield()
        }
        await watch.value
        return try await task.value
    }
}

import Foundation
import Kingfisher
import Synchronization

/// Keeps results in memory, and on disk if there is a folder for them.
struct ResultCache: Sendable {
    private let memory: MemoryStorage.Backend<StoredResult>
    private let disk: ImageCache?
    private let lifetime: TimeInterval
    private let writes = PendingWrites()
    private let reader = DispatchQueue(label: "kf-serve.results", attributes: .concurrent)

    /// Opens the caches.
    ///
    /// - Throws: ``ConfigurationError`` if the folder cannot be created.
    init(_ configuration: ServiceConfiguration.Caches) throws(ConfigurationError) {
        lifetime = configuration.lifetime / .seconds(1)
        var config = MemoryStorage.Config(totalCostLimit: configuration.memorySize)
        config.expiration = .seconds(lifetime)
        memory = MemoryStorage.Backend(config: config)
        disk = try configuration.path.map { path throws(ConfigurationError) in
            try Self.disk(path, size: configuration.diskSize)
        }
    }

    private static func disk(_ path: String, size: Int) throws(ConfigurationError) -> ImageCache {
        do {
            let cache = try ImageCache(
                name: "results",
                cacheDirectoryURL: URL(fileURLWithPath: path, isDirectory: true)
            )
            cache.diskStorage.config.sizeLimit = UInt(size)
            return cache
        } catch {
            throw ConfigurationError(
                name: "KF_CACHE_PATH",
                expected: "a folder that can be written (\(error.localizedDescription))",
                found: path
            )
        }
    }

    /// The total size of the results in memory in bytes.
    var memorySize: Int { memory.totalCacheCost() }

    /// The result in memory; does not block.
    func inMemory(_ key: String) -> StoredResult? {
        memory.value(forKey: key, extendingExpiration: .none)
    }

    /// The result on disk, which is then kept in memory too; nil for a miss.
    func onDisk(_ key: String) async -> StoredResult? {
        guard let disk, disk.diskStorage.isCached(forKey: key) else { return nil }
        let result: StoredResult? = await withCheckedContinuation { continuation in
            reader.async {
                // A file that cannot be read is a miss, and the new result replaces it.
                let data = try? disk.diskStorage.value(
                    forKey: key,
                    extendingExpiration: ExpirationExtending.none
                )
                continuation.resume(returning: data.flatMap { StoredResult(encoded: $0) })
            }
        }
        guard let result else { return nil }
        let age = Date().timeIntervalSince1970 - Double(result.facts.created)
        memory.store(value: result, forKey: key, expiration: .seconds(lifetime - age))
        return result
    }

    /// Keeps a result: in memory at once, on disk in the background.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - key: Its key.
    ///   - lifetime: How long it may be used in seconds; nil for the configured time.
    func store(_ result: StoredResult, forKey key: String, lifetime: TimeInterval?) {
        let lifetime = min(lifetime ?? self.lifetime, self.lifetime)
        guard lifetime > 0 else { return }
        memory.store(value: result, forKey: key, expiration: .seconds(lifetime))
        // A result without a file is made again after a restart.
        guard let disk, let data = try? result.encoded() else { return }
        writes.begin()
        disk.storeToDisk(data, forKey: key, expiration: .seconds(lifetime)) { [writes] _ in
            writes.end()
        }
    }

    /// Waits until all results so far are on disk.
    func settle() async { await writes.settle() }

    /// Removes results from memory and disk.
    func remove(_ keys: [String]) async {
        for key in keys {
            memory.remove(forKey: key)
            // It throws for a key without a file, which is what the caller wants.
            try? await disk?.removeImage(forKey: key)
        }
    }
}

/// Counts writes that have not ended.
private final class PendingWrites: Sendable {
    private struct State {
        var count = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.count += 1 } }

    func end() {
        let waiters = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func settle() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if state.count > 0 { state.waiters.append(continuation) }
                return state.count == 0
            }
            if isSettled { continuation.resume() }
        }
    }
}

import Foundation
import Kingfisher
import Synchronization

/// Keeps results in memory, on disk if there is a folder for them, and in a storage that many
/// machines share if there is one.
struct ResultCache: Sendable {
    /// A result that must not be kept.
    private struct Unkept: Error {
        let made: MadeResult
    }

    private let memory: MemoryStorage.Backend<StoredResult>
    private let disk: ImageCache?
    private let isShared: Bool
    private let lifetime: TimeInterval
    private let writes = PendingWrites()
    private let reader = DispatchQueue(label: "kf-serve.results", attributes: .concurrent)

    /// Opens the caches.
    ///
    /// - Parameters:
    ///   - configuration: Sizes and the folder.
    ///   - storage: The storage that other machines use too, with its limits; needs a folder.
    /// - Throws: ``ConfigurationError`` if the folder cannot be created.
    init(
        _ configuration: ServiceConfiguration.Caches,
        sharing storage: (any SharedImageStorage, SharedStorageSettings)?
    ) throws(ConfigurationError) {
        lifetime = configuration.lifetime / .seconds(1)
        var config = MemoryStorage.Config(totalCostLimit: configuration.memorySize)
        config.expiration = .seconds(lifetime)
        memory = MemoryStorage.Backend(config: config)
        disk = try configuration.folder("results", size: configuration.diskSize)
        isShared = storage != nil && disk != nil
        if let (storage, settings) = storage {
            disk?.useSharedStorage(storage, settings: settings)
        }
    }

    /// The use of the shared storage by this machine; nil without a storage.
    var sharedStatistics: SharedStorageStatistics? { disk?.sharedStorageStatistics }

    /// The total size of the results in memory in bytes.
    var memorySize: Int { memory.totalCacheCost() }

    /// The result in memory; does not block.
    func inMemory(_ key: String) -> StoredResult? {
        guard let result = memory.value(forKey: key, extendingExpiration: .none) else { return nil }
        // Another machine may have removed it; the disk's index knows.
        guard !isShared || disk?.imageCachedType(forKey: key) == .disk else {
            memory.remove(forKey: key)
            return nil
        }
        return result
    }

    /// The result from the disk or the shared storage, or made now and kept.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - make: Makes the result; not called for a hit.
    /// - Returns: The result.
    /// - Throws: What `make` throws; `CancellationError`.
    func result(
        _ key: String,
        orMake make: @escaping @Sendable () async throws -> MadeResult
    ) async throws -> MadeResult {
        let start = ContinuousClock.now
        if isShared { return try await sharedResult(key, start, make) }
        if let result = await onDisk(key) {
            return MadeResult(result: result, layer: .disk, times: [.lookup: .now - start])
        }
        let made = try await make()
        store(made.result, forKey: key, lifetime: made.lifetime)
        return made
    }

    /// The result, of which one machine at a time makes what no machine has.
    private func sharedResult(
        _ key: String,
        _ start: ContinuousClock.Instant,
        _ make: @escaping @Sendable () async throws -> MadeResult
    ) async throws -> MadeResult {
        guard let disk else { return try await make() }
        let fresh = Fresh()
        do {
            let (data, _) = try await disk.data(
                forKey: key,
                expiration: .seconds(lifetime)
            ) {
                let made = try await make()
                guard made.lifetime ?? 1 > 0 else { throw Unkept(made: made) }
                fresh.set(made)
                return try made.result.encoded()
            }
            if let made = fresh.made {
                keepInMemory(made.result, key)
                return made
            }
            if let result = StoredResult(encoded: data), remaining(of: result) > 0 {
                keepInMemory(result, key)
                return MadeResult(result: result, layer: .disk, times: [.lookup: .now - start])
            }
        } catch let unkept as Unkept {
            return unkept.made
        }
        // Of another version, or too old: the next request finds none and makes it anew.
        try? await disk.removeImage(forKey: key)
        return try await make()
    }

    /// How many seconds a result may still be used.
    private func remaining(of result: StoredResult) -> TimeInterval {
        let age = max(0, Date().timeIntervalSince1970 - Double(result.facts.created))
        return min(lifetime, result.facts.lifetime ?? lifetime) - age
    }

    private func keepInMemory(_ result: StoredResult, _ key: String) {
        memory.store(value: result, forKey: key, expiration: .seconds(remaining(of: result)))
    }

    /// The result on disk, which is then kept in memory too; nil for a miss.
    private func onDisk(_ key: String) async -> StoredResult? {
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
        guard let result, remaining(of: result) > 0 else { return nil }
        keepInMemory(result, key)
        return result
    }

    /// Keeps a result: in memory at once, on disk in the background.
    ///
    /// - Parameters:
    ///   - result: The result.
    ///   - key: Its key.
    ///   - lifetime: How long it may be used in seconds; nil for the configured time.
    private func store(_ result: StoredResult, forKey key: String, lifetime: TimeInterval?) {
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
    func settle() async {
        await writes.settle()
        await disk?.flushSharedStorage()
    }

    /// Removes results from memory and disk.
    func remove(_ keys: [String]) async {
        for key in keys {
            memory.remove(forKey: key)
            // It throws for a key without a file, which is what the caller wants.
            try? await disk?.removeImage(forKey: key)
        }
        await disk?.flushSharedStorage()
    }
}

/// A result that was made by this call, with its times.
private final class Fresh: Sendable {
    private let state = Mutex<MadeResult?>(nil)

    var made: MadeResult? { state.withLock { $0 } }

    func set(_ made: MadeResult) { state.withLock { $0 = made } }
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

// MARK: - Folders

extension ServiceConfiguration.Caches {
    /// Opens a cache on disk; nil without a folder for it.
    ///
    /// - Throws: ``ConfigurationError`` if the folder cannot be created.
    func folder(_ name: String, size: Int) throws(ConfigurationError) -> ImageCache? {
        guard let path, size > 0 else { return nil }
        var config = DiskStorage.Config(
            name: name,
            sizeLimit: UInt(size),
            directory: URL(fileURLWithPath: path, isDirectory: true)
        )
        // Addresses of sources may contain keys.
        config.hashesKeysInIndex = true
        do {
            return ImageCache(
                memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 1)),
                diskStorage: try DiskStorage.Backend(config: config)
            )
        } catch {
            throw ConfigurationError(
                name: "KF_CACHE_PATH",
                expected: "a folder that can be written (\(error.localizedDescription))",
                found: path
            )
        }
    }
}

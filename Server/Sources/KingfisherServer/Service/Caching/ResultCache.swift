import Foundation
@_spi(Server) import Kingfisher
import Synchronization

/// Keeps results in memory, on disk if there is a folder for them, and in the storages that many
/// machines share.
struct ResultCache: Sendable {
    /// A result that must not be kept.
    private struct Unkept: Error {
        let made: MadeResult
    }

    private let memory: MemoryStorage.Backend<StoredResult>
    private let disk: ImageCache?
    private let removals: Removals
    private let isShared: Bool
    private let lifetime: TimeInterval

    /// Opens the caches.
    ///
    /// - Parameters:
    ///   - configuration: Sizes and the folder.
    ///   - levels: The storages that other machines use too; they need a folder.
    /// - Throws: ``ConfigurationError`` if the folder cannot be created.
    init(
        _ configuration: ServiceConfiguration.Caches,
        sharing levels: SharedLevels
    ) throws(ConfigurationError) {
        lifetime = configuration.lifetime / .seconds(1)
        var config = MemoryStorage.Config(totalCostLimit: configuration.memorySize)
        config.expiration = .seconds(lifetime)
        memory = MemoryStorage.Backend(config: config)
        disk = try configuration.folder("results", size: configuration.diskSize)
        removals = disk?.removals ?? Removals()
        isShared = !levels.storages.isEmpty && disk != nil
        disk?.useSharedStorages(levels.storages)
    }

    /// The use of each shared storage by this machine.
    var sharedStatistics: [SharedStorageStatistics] { disk?.allSharedStorageStatistics ?? [] }

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

    /// Marks the removals of a result before a request for it begins.
    func mark(_ key: String) -> RemovalMark { removals.mark(key) }

    /// The result from the disk or the shared storage, or made now and kept.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - mark: The mark of the key when the request began; a result removed since is not kept.
    ///   - make: Makes the result; not called for a hit.
    /// - Returns: The result.
    /// - Throws: The errors of `make`; `CancellationError`.
    func result(
        _ key: String,
        _ mark: RemovalMark,
        orMake make: @escaping @Sendable () async throws -> MadeResult
    ) async throws -> MadeResult {
        let start = ContinuousClock.now
        guard let disk else {
            let made = try await make()
            keepInMemory(made.result, key, mark)
            return made
        }
        let fresh = Fresh()
        do {
            let (data, _) = try await disk.data(
                forKey: key,
                expiration: .seconds(lifetime)
            ) {
                fresh.begin()
                let made = try await make()
                guard made.lifetime ?? 1 > 0 else { throw Unkept(made: made) }
                fresh.set(made)
                return try made.result.encoded()
            }
            if let made = fresh.made {
                keepInMemory(made.result, key, mark)
                return made
            }
            if let result = StoredResult(encoded: data), remaining(of: result) > 0 {
                keepInMemory(result, key, mark)
                return MadeResult(result: result, layer: .disk, times: [.lookup: .now - start])
            }
        } catch let unkept as Unkept {
            return unkept.made
        } catch let error as ServiceError where error.sourceStatus != nil && !fresh.hasBegun {
            // The source refused another request, whose signature may differ.
        }
        // The file is missing, too old, or of another version of the service.
        let made = try await make()
        keepInMemory(made.result, key, mark)
        if made.lifetime ?? 1 > 0, let data = try? made.result.encoded() {
            let expiration = StorageExpiration.seconds(lifetime)
            let outcome = mark.store {
                disk.storeToDisk(data, forKey: key, expiration: expiration, completionHandler: nil)
            }
            if outcome == .overtaken { try? await disk.removeImage(forKey: key) }
        }
        return made
    }

    /// How many seconds a result may still be used.
    private func remaining(of result: StoredResult) -> TimeInterval {
        let age = max(0, Date().timeIntervalSince1970 - Double(result.facts.created))
        return min(lifetime, result.facts.lifetime ?? lifetime) - age
    }

    private func keepInMemory(_ result: StoredResult, _ key: String, _ mark: RemovalMark) {
        let seconds = remaining(of: result)
        guard seconds > 0 else { return }
        let outcome = mark.store {
            memory.store(value: result, forKey: key, expiration: .seconds(seconds))
        }
        if outcome == .overtaken { memory.remove(forKey: key) }
    }

    /// Waits until all results so far are on disk and in the shared storage.
    func settle() async { await disk?.flush() }

    /// Removes results from memory and disk.
    func remove(_ keys: Set<String>) async {
        for key in keys {
            // It throws for a key without a file, where nothing is left to do.
            try? await disk?.removeImage(forKey: key)
            // Last, because requests meanwhile may have read the file.
            removals.note(key)
            memory.remove(forKey: key)
        }
        await disk?.flush()
    }
}

/// The result that this call makes, with its times.
private final class Fresh: Sendable {
    private let state = Mutex<(hasBegun: Bool, made: MadeResult?)>((false, nil))

    var hasBegun: Bool { state.withLock { $0.hasBegun } }
    var made: MadeResult? { state.withLock { $0.made } }

    func begin() { state.withLock { $0.hasBegun = true } }

    func set(_ made: MadeResult) { state.withLock { $0.made = made } }
}

// MARK: - Folders

extension ServiceConfiguration.Caches {
    /// Refuses to share results without a folder for them.
    ///
    /// - Throws: ``ConfigurationError``.
    func requireFolderToShare() throws(ConfigurationError) {
        guard path == nil || diskSize == 0 else { return }
        throw ConfigurationError(
            name: "KF_CACHE_PATH",
            expected: "a folder, because results are shared with other machines",
            found: nil
        )
    }

    /// Checks that the folder exists or can be created, without creating it.
    ///
    /// - Throws: ``ConfigurationError``.
    func checkFolder() throws(ConfigurationError) {
        guard let path, max(diskSize, sourceDiskSize) > 0 else { return }
        let files = FileManager.default
        var folder = URL(fileURLWithPath: path)
        var isFolder: ObjCBool = false
        while !files.fileExists(atPath: folder.path, isDirectory: &isFolder), folder.path != "/" {
            folder.deleteLastPathComponent()
        }
        guard isFolder.boolValue, files.isWritableFile(atPath: folder.path) else {
            throw ConfigurationError(
                name: "KF_CACHE_PATH",
                expected: "a folder that can be written",
                found: path
            )
        }
    }

    /// Opens a cache on disk; nil without a folder for it.
    ///
    /// - Throws: ``ConfigurationError`` if the folder cannot be created.
    func folder(
        _ name: String,
        size: Int,
        memory: Int = 1
    ) throws(ConfigurationError) -> ImageCache? {
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
                memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: memory)),
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

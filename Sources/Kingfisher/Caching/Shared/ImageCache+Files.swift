public import Foundation

/// Files of programs that make their own images; not part of the original API.
extension ImageCache {
    /// Returns a file from the disk or the shared storage, or makes and stores it.
    ///
    /// Concurrent calls for the same entry share the work. With a shared storage, other machines
    /// wait for this one to make the file, for a limited time; see
    /// ``useSharedStorage(_:settings:)``. Removing an image with the same key and identifier removes
    /// the file.
    ///
    /// - Parameters:
    ///   - key: The key of the source.
    ///   - identifier: Identifies how the file is made from the source.
    ///   - expiration: Overrides the expiration of the disk's settings.
    ///   - make: Makes the file; cancelled if all callers are.
    /// - Returns: The file, and `.disk` unless it was just made.
    /// - Throws: The error of `make`, or `CancellationError` as soon as this caller's task is
    ///   cancelled. Failures of disk and storage are only logged.
    public func data(
        forKey key: String,
        processorIdentifier identifier: String = "",
        expiration: StorageExpiration? = nil,
        orMake make: @escaping @Sendable () async throws -> Data
    ) async throws -> (data: Data, cacheType: CacheType) {
        let entry = CacheEntryName(key: key, identifier: identifier, forced: nil)
        return try await shared.files.value(for: entry) { [self] in
            if let data = try await storedFile(entry) { return (data, .disk) }
            let lease = try await claim(entry)
            if let data = lease.made { return (data, .disk) }
            let data = try await make()
            keep(data, as: entry, expiration: expiration) { result in
                if case .failure(let error) = result.diskCacheResult {
                    let reason = error.localizedDescription
                    Log.warning("A file was not stored on disk: \(reason)", key: key)
                }
                // Other machines wait until the file can be sent.
                withExtendedLifetime(lease) {}
            }
            return (data, .none)
        }
    }

    private func storedFile(_ entry: CacheEntryName) async throws -> Data? {
        if diskStorage.holds(entry) {
            do {
                let contents = try await storedBytes(
                    of: entry,
                    extending: .cacheTime,
                    priority: 0.5
                )
                if let contents { return contents.data }
            } catch is KingfisherError {
                // A file that cannot be read is a miss: it is made and stored again.
            }
        }
        guard let sharing, entry.isShareable,
            case .hit(let hit?) = try await sharing.find(entry, checksDisk: false)
        else { return nil }
        return hit.contents.data
    }

    private func claim(
        _ entry: CacheEntryName
    ) async throws -> (lease: SharedLease?, made: Data?) {
        guard let sharing, entry.isShareable, !sharing.isPaused else { return (nil, nil) }
        switch try await sharing.claim(entry) {
        case .granted(let lease): return (lease, nil)
        case .made: return (nil, try await storedFile(entry))
        case .none: return (nil, nil)
        }
    }
}

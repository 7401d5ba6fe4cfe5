public import Foundation

/// Files of programs that make their own images; not part of the original API.
extension ImageCache {
    /// Returns a file from the disk or the shared storage, or makes and stores it.
    ///
    /// Concurrent calls for the same entry share the work. With a shared storage, other machines
    /// wait for this one to make the file, for a limited time; see
    /// ``useSharedStorage(_:settings:)``. Removing an image with the same key and identifier removes
    /// the file. A file that is made meanwhile is returned to the callers so far, but neither stored
    /// nor shared with later ones.
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
        let mark = removals.mark(entry.computedKey)
        let making = SharedSlot.Making(entry: entry, epoch: mark.epoch)
        return try await shared.files.value(for: making) { [self] in
            if let data = try await file(entry) { return (data, .disk) }
            var lease: SharedLease?
            switch try await claim(entry) {
            case .granted(let granted): lease = granted
            case .made:
                if let data = try await file(entry) { return (data, .disk) }
            case .none: break
            }
            let data = try await make()
            let outcome = mark.store {
                keep(data, as: entry, nil, expiration: expiration) { [lease] result in
                    if case .failure(let error) = result.diskCacheResult {
                        let reason = error.localizedDescription
                        Log.warning("A file was not stored on disk: \(reason)", key: key)
                    }
                    // Other machines wait until the file can be sent.
                    withExtendedLifetime(lease) {}
                }
            }
            if outcome == .overtaken { undoStore(of: entry) }
            return (data, .none)
        }
    }

    private func file(_ entry: CacheEntryName) async throws -> Data? {
        try await find(entry, extending: .cacheTime, priority: 0.5)
    }

    /// Finds the bytes of an entry on disk or in the shared storage.
    ///
    /// A file that cannot be read is a miss, so that it is made and stored again.
    ///
    /// - Parameters:
    ///   - entry: The entry; overrides in subclasses are not called.
    ///   - extending: How the read extends the entry's expiration.
    ///   - priority: The priority of the read among those of this cache.
    /// - Returns: The bytes; nil if there are none.
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func find(
        _ entry: CacheEntryName,
        extending: ExpirationExtending,
        priority: Float
    ) async throws -> Data? {
        var answer = diskStorage.ask(entry)
        if case .notOpen = answer {
            answer = try await probing { [diskStorage] in diskStorage.ask(entry, effort: .folder) }
        }
        if case .entry(let handle?) = answer {
            do {
                let contents = try await storedBytes(
                    of: handle,
                    extending: extending,
                    priority: priority
                )
                if let contents { return contents.data }
            } catch is KingfisherError {}
        }
        guard let sharing, entry.isShareable,
            case .hit(let hit?) = try await sharing.find(entry, checksDisk: false)
        else { return nil }
        return hit.contents.data
    }

    /// Claims the right to make an entry while other machines wait for it.
    ///
    /// - Parameter entry: The entry.
    /// - Returns: The outcome; `none` without a shared storage that answers.
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func claim(_ entry: CacheEntryName) async throws -> SharedLeases.Claim {
        guard let sharing, entry.isShareable, !sharing.isPaused else { return .none }
        return try await sharing.claim(entry)
    }
}

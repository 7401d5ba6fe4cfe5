public import Foundation

extension DiskStorage {
    /// One file of a disk cache.
    public struct Entry: Sendable, Equatable {
        /// The key under which it was stored, including the processor's identifier.
        ///
        /// User names and passwords of URLs are removed. Nil for a file whose index record was
        /// lost.
        public let key: String?
        /// The URL of the file.
        public let fileURL: URL
        /// The size in bytes.
        public let size: Int
        /// The time of the last read, or of storing.
        public let lastAccess: Date
        /// The time from which the entry is invalid; nil if it never expires.
        public let expiration: Date?

        /// Whether the entry is invalid at a date.
        public func isExpired(at date: Date = Date()) -> Bool {
            expiration.map { $0 <= date } ?? false
        }

        init(_ entry: DiskEntry, directory: URL) {
            key = entry.key.isEmpty ? nil : entry.key
            fileURL = directory.appendingPathComponent(entry.name, isDirectory: false)
            size = entry.size
            lastAccess = Date(timeIntervalSinceReferenceDate: entry.access)
            expiration =
                entry.expiry.isFinite ? Date(timeIntervalSinceReferenceDate: entry.expiry) : nil
        }
    }
}

extension DiskStorage {
    /// The prefix of a cache's own files; names of entries never start with it.
    ///
    /// They are hidden files beside the entries:
    ///
    /// | name | meaning |
    /// |---|---|
    /// | `.kingfisher.log` | the index; with ``KingfisherOptionsInfoItem/httpCaching``, the HTTP records of images too |
    /// | `.kingfisher.lock` | an empty file that a process locks while it uses the folder |
    /// | `.kingfisher-….tmp` | an entry that is being written |
    ///
    /// To count or list images use ``Backend/entries``, or list the folder with `FileManager` and
    /// the option `skipsHiddenFiles`.
    public static let ownFilePrefix = DiskStore.ownPrefix
}

extension DiskStorage.Backend {
    /// All entries, the least recently used first.
    ///
    /// Includes expired entries that were not removed yet.
    ///
    /// - Complexity: O(entries) in memory; does not access the disk.
    public var entries: [DiskStorage.Entry] {
        store.entries.map { DiskStorage.Entry($0, directory: directoryURL) }
    }

    /// Reads all files and finds those that are missing or changed.
    ///
    /// The cache can be used meanwhile. Reads detect damage themselves; this also checks files that
    /// are not read.
    ///
    /// - Parameter repairing: Whether damaged entries are removed.
    /// - Returns: The damaged entries, the least recently used first.
    /// - Complexity: O(bytes of all files).
    public func verify(repairing: Bool) -> [DiskStorage.Entry] {
        let all = store.entries
        let damaged = Set(store.verify(repairing: repairing))
        return all.filter { damaged.contains($0.name) }
            .map { DiskStorage.Entry($0, directory: directoryURL) }
    }
}

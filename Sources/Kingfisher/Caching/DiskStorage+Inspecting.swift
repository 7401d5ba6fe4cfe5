public import Foundation

extension DiskStorage {
    /// One file of a disk cache.
    public struct Entry: Sendable, Equatable {
        /// The key under which it was stored, the processor's identifier included.
        ///
        /// Names and passwords in URLs are left out. Nil for a file whose record in the index was
        /// lost.
        public let key: String?
        /// The file.
        public let fileURL: URL
        /// In bytes.
        public let size: Int
        /// When it was stored, or read last.
        public let lastAccess: Date
        /// The moment from which on it is not valid; nil if it always is.
        public let expiration: Date?

        /// Whether it is invalid at a date.
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
    /// What the names of a cache's own files begin with; names of entries never do.
    ///
    /// They lie beside the entries, hidden:
    ///
    /// | name | meaning |
    /// |---|---|
    /// | `.kingfisher.log` | the index; with ``KingfisherOptionsInfoItem/httpCaching``, what servers said about images too |
    /// | `.kingfisher.lock` | an empty file that a process locks while it uses the folder |
    /// | `.kingfisher-….tmp` | an entry that is being written |
    ///
    /// To count or list images take ``Backend/entries``, or list the folder with `FileManager` and
    /// its option `skipsHiddenFiles`.
    public static let ownFilePrefix = DiskStore.ownPrefix
}

extension DiskStorage.Backend {
    /// All entries, the least recently used one first.
    ///
    /// Entries that have expired and were not cleaned yet are among them.
    ///
    /// - Complexity: O(entries) in memory; touches no disk.
    public var entries: [DiskStorage.Entry] {
        store.entries.map { DiskStorage.Entry($0, directory: directoryURL) }
    }

    /// Reads every file and finds those that are missing, or whose bytes are not the stored ones.
    ///
    /// The cache can be used meanwhile. Reads detect damage by themselves; this detects it in files
    /// that are not read.
    ///
    /// - Parameter repairing: Whether what is damaged is removed.
    /// - Returns: The damaged entries, the least recently used one first.
    /// - Complexity: O(bytes of all files).
    public func verify(repairing: Bool) -> [DiskStorage.Entry] {
        let all = store.entries
        let damaged = Set(store.verify(repairing: repairing))
        return all.filter { damaged.contains($0.name) }
            .map { DiskStorage.Entry($0, directory: directoryURL) }
    }
}

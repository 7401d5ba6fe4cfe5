public import Foundation

/// The disk storage of a cache.
public enum DiskStorage {
    /// The settings of a disk storage.
    public struct Config: Sendable {
        /// The maximum total size of the files in bytes; 0 for no limit.
        public var sizeLimit: UInt

        /// The expiration of files stored without their own.
        public var expiration: StorageExpiration = .days(7)

        /// An extension for every file name.
        public var pathExtension: String?

        /// Whether a file is named by the SHA-256 of its key; otherwise by the key itself.
        public var usesHashedFileName = true

        /// Whether a hashed name gets the extension found in the key.
        public var autoExtAfterHashedFileName = false

        // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals, user code calls it as it is.
        /// Computes the folder from a base folder and the name of the cache.
        ///
        /// By default, and if nil, the folder has that name and is in the base folder.
        public var cachePathBlock: (@Sendable (_ directory: URL, _ cacheName: String) -> URL)! = {
            $0.appendingPathComponent($1, isDirectory: true)
        }

        /// Whether storing waits until the bytes are on the storage medium (`fsync`).
        ///
        /// If false, a completed store survives the end of the process, but may be lost in a power
        /// failure; its bytes are never wrong. If true, storing takes as long as the medium, which
        /// is milliseconds for most.
        public var synchronizesWrites = false

        /// Whether entries with the same bytes share one file, whose size then counts once.
        ///
        /// Signed URLs, mirrors and shards provide the same image under many keys. A key whose
        /// bytes are already in the folder is stored as a further name (hard link) of their file.
        /// The bytes are compared before; a checksum alone never decides. Removing a key keeps the
        /// others. A change made to the file by another program affects all of its keys, and is
        /// detected for each.
        ///
        /// No effect with a ``transformer``, and on file systems without unnamed files and hard
        /// links. A new value applies from the next store.
        public var sharesFiles = true

        /// Whether the index stores a hash of each key instead of the key.
        ///
        /// The index is a file in the cache's folder. It never contains user names and passwords of
        /// URLs. With this setting it does not contain tokens in paths and queries either, and
        /// ``DiskStorage/Entry/key`` is the hash.
        public var hashesKeysInIndex = false

        /// Converts the bytes of the files, such as ``AESGCMTransformer``; nil stores them
        /// unmodified.
        ///
        /// All storages open on one folder use the transformer of the first. Files written with
        /// another transformer count as damaged.
        public var transformer: (any DiskDataTransformer)?

        /// The name of the cache, which is part of the folder's name.
        public let name: String

        let directory: URL?

        /// Makes settings.
        ///
        /// - Parameters:
        ///   - name: A part of the folder's name.
        ///   - sizeLimit: In bytes; 0 for no limit.
        ///   - fileManager: Used only to find the user's cache folder. Files are accessed through
        ///     system calls, so overriding methods such as `fileExists(atPath:)` has no effect.
        ///   - directory: The base folder; nil for the user's cache folder.
        public init(
            name: String,
            sizeLimit: UInt,
            fileManager: FileManager = .default,
            directory: URL? = nil
        ) {
            self.name = name
            self.sizeLimit = sizeLimit
            self.directory =
                directory
                ?? (fileManager === FileManager.default
                    ? CachesFolder.url
                    : fileManager.urls(for: .cachesDirectory, in: .userDomainMask).first)
        }

        var directoryURL: URL {
            let base = directory ?? FileManager.default.temporaryDirectory
            let folder = "com.onevcat.Kingfisher.ImageCache.\(containedName)"
            guard let cachePathBlock else {
                return base.appendingPathComponent(folder, isDirectory: true)
            }
            return cachePathBlock(base, folder)
        }

        /// The path of the name in the base folder; no two names have the same.
        ///
        /// Slashes are escaped if the name would lead outside the base folder, or to the folder of
        /// another name.
        private var containedName: String {
            let parts = name.utf8.split(
                separator: UInt8(ascii: "/"),
                omittingEmptySubsequences: false
            )
            // The first part follows the prefix of the folder.
            let isPlainPath =
                !parts.contains { $0.elementsEqual("..".utf8) }
                && !parts.dropFirst().contains { $0.isEmpty || $0.elementsEqual(".".utf8) }
            let looksEscaped = ["%00", "%25", "%2F"].contains { name.utf8.contains($0.utf8) }
            if isPlainPath, !looksEscaped, !name.utf8.contains(0) { return name }
            let bytes = name.utf8.flatMap { byte -> [UInt8] in
                switch byte {
                case 0: Array("%00".utf8)
                case UInt8(ascii: "%"): Array("%25".utf8)
                case UInt8(ascii: "/") where !isPlainPath: Array("%2F".utf8)
                default: [byte]
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        var naming: FileNaming {
            FileNaming(
                usesHash: usesHashedFileName,
                pathExtension: pathExtension,
                addsExtensionOfKey: autoExtAfterHashedFileName
            )
        }
    }
}

extension DiskStorage {
    /// One file of a disk cache.
    public struct Entry: Sendable, Equatable {
        /// The key under which it was stored, including the processor's identifier.
        ///
        /// User names and passwords of URLs are removed. Nil for a file whose index record was
        /// lost.
        public let key: String?
        /// The URL of the file.
        public var fileURL: URL { directory.appendingPathComponent(name, isDirectory: false) }
        /// The size in bytes of the file, which other entries may share.
        public let size: Int
        /// The time of the last read, or of storing.
        public let lastAccess: Date
        /// The time from which the entry is invalid; nil if it never expires.
        public let expiration: Date?

        private let directory: URL
        private let name: String

        /// Whether the entry is invalid at a date.
        public func isExpired(at date: Date = Date()) -> Bool {
            expiration.map { $0 <= date } ?? false
        }

        init(_ entry: DiskEntry, directory: URL) {
            key = entry.key.isEmpty ? nil : entry.key
            self.directory = directory
            name = entry.name
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
    public static let ownFilePrefix = DiskFolder.ownPrefix
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

    /// Calls a function with all entries, the least recently used first.
    ///
    /// Takes less memory than ``entries``, which can be a gigabyte for a million entries.
    ///
    /// - Parameter body: Called on this thread, outside all locks.
    /// - Throws: The error of `body`, which ends the calls.
    /// - Complexity: O(entries) in memory; does not access the disk.
    public func forEachEntry(_ body: (DiskStorage.Entry) throws -> Void) rethrows {
        for entry in store.snapshot.entries {
            try body(DiskStorage.Entry(entry, directory: directoryURL))
        }
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
        let damaged = Set(store.verify(repairing: repairing).map(ByteText.init))
        return all.filter { damaged.contains(ByteText($0.name)) }
            .map { DiskStorage.Entry($0, directory: directoryURL) }
    }
}

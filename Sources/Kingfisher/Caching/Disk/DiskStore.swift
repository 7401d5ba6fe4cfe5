import Foundation
import Synchronization

/// Stores bytes in a folder, one file per entry, with an index in memory.
///
/// Entries with the same bytes are names of one file.
///
/// A file is written without a name, or under a temporary one, before it gets its final name, so
/// that it is either complete or absent.
/// The index is kept in memory and in an append-only log beside the files. A miss therefore never
/// accesses the disk, and a sweep never lists the folder. Several processes may use one folder: a
/// process holds the log's lock while it changes the folder, and the others read the records
/// appended to the log.
///
/// Every store is announced in the log before its file gets its name. If a process dies in between,
/// the next one completes the last announcement, or drops it if the file had no name. Since only
/// one announcement can be pending, no stored entry is lost, and no partial change is visible.
///
/// A power failure may lose files whose records exist, and records whose files exist. Missing files
/// are detected by their checksums when they are read. Files without a record are added to the
/// index if they have a ``FileProof`` of their name; its checksum is verified when they are read.
///
/// All methods block, and can be called on any thread. The first call opens the folder.
final class DiskStore: Sendable {
    /// Options of a store.
    struct Options: Sendable {
        var transformer: (any DiskDataTransformer)?
        /// How long to wait for another process's lock.
        ///
        /// Locks are held for milliseconds; removing a million files may take seconds.
        var lockLimit = Duration.seconds(5)
        /// The size of the log in bytes that a store keeps below, and does not read above.
        var logLimit = LogReader.maximalSize
    }

    let folder: DiskFolder
    let clock: WallClock
    let options: Options
    let counts = DiskCounts()
    let repair: FolderRepair
    let log: DiskLog
    let writer: EntryWriter
    private let limit = Atomic(0)

    /// Makes a store that opens its folder on first use.
    init(
        directory: String,
        files: any FileSystem = POSIXFileSystem(),
        clock: WallClock = .system,
        options: Options = .init()
    ) {
        folder = DiskFolder(directory, files: files, logLimit: options.logLimit)
        self.clock = clock
        self.options = options
        repair = FolderRepair(of: folder, clock: clock, counts: counts)
        log = DiskLog(of: folder, clock: clock, lockLimit: options.lockLimit, repair: repair)
        let isEncrypting = options.transformer != nil
        writer = EntryWriter(in: folder, log: log, counts: counts, isEncrypting: isEncrypting)
    }

    deinit { log.flush() }

    var files: any FileSystem { folder.files }

    /// Opens the folder unless it is open, and creates a missing one.
    func prepare() throws(DiskError) { try log.prepare() }

    // MARK: In memory

    /// The size in bytes above which storing removes old entries; 0 for no limit.
    var sizeLimit: Int {
        get { limit.load(ordering: .relaxed) }
        set { limit.store(max(newValue, 0), ordering: .relaxed) }
    }

    /// Whether storing waits until the bytes are on the storage medium.
    var syncs: Bool {
        get { log.syncs }
        set { log.syncs = newValue }
    }

    /// Whether entries with the same bytes share one file.
    var sharesFiles: Bool {
        get { writer.sharesFiles }
        set { writer.sharesFiles = newValue }
    }

    /// Whether the index has been read.
    var isOpen: Bool { log.isOpen }

    /// The total size in bytes of the entries, and of temporary files that dead processes left.
    ///
    /// Includes what the log and the folder need for names, above 64 KiB. Accesses the disk only where files without a name cannot be written, to look for the latter.
    var totalSize: Int {
        log.freshen()
        lookForAbandonedFiles()
        return keptSize
    }

    /// The total size as far as it is known; wraps if a hostile log has impossible sizes.
    var keptSize: Int { log.withIndex { $0.totalSize } &+ repair.abandonedSize }

    /// All entries, the least recently used first.
    var entries: [DiskEntry] { Array(snapshot.entries) }

    /// The index as it is now; shares its memory with the store's index until that changes.
    var snapshot: DiskIndex {
        log.freshen()
        return log.withIndex { $0 }
    }

    var statistics: DiskStatistics {
        log.freshen()
        var statistics = counts.current
        statistics.size = keptSize
        statistics.count = log.withIndex { $0.count }
        return statistics
    }
}

extension DiskStore {
    /// The state of an entry; does not count as an access and does not access the disk.
    func finding(for name: String, _ division: KeyDivision) -> StoreFinding {
        let now = clock.now()
        guard let expiry = log.withIndex({ $0.expiry(of: name, division) }) else {
            return .unknown
        }
        return expiry > now ? .valid(expiry - now) : .expired(now - expiry)
    }

    /// The processors' identifiers with which a source's key is stored, as far as the index knows;
    /// empty for none.
    ///
    /// - Complexity: O(entries).
    func identifiers(ofKey key: String) -> [String] {
        let division = KeyDivision(afterKey: key)
        let key = key.withoutUsers.utf8
        return log.withIndex { $0 }.entries.compactMap { entry -> String? in
            guard entry.division.matches(division), entry.key.utf8.starts(with: key) else {
                return nil
            }
            let rest = entry.key.utf8.dropFirst(key.count)
            if rest.isEmpty { return "" }
            return rest.first == UInt8(ascii: "@")
                ? String(decoding: rest.dropFirst(), as: UTF8.self) : nil
        }
    }
}

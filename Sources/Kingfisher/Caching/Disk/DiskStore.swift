import Foundation
import Synchronization
import SystemPackage

/// Bytes in a folder, one file per entry, with an index in memory.
///
/// A file is written under a temporary name and renamed, so it is there whole or not at all. What
/// is known about the files is in memory and in an append-only log beside them, so that a lookup
/// that misses never touches the disk and a sweep never walks the folder. Several processes may use
/// one folder: who changes it holds a lock of the log, and the others see the log grow.
///
/// Every store is announced in the log before its file is renamed. If a process dies in between,
/// the next one finishes the last announcement; with only one that can be unfinished, nothing that
/// was stored is lost, and nothing half done is seen.
///
/// A power cut may take files whose records are there, and records whose files are there. The first
/// are found by their checksums when they are read. The others are taken in if they carry a
/// ``FileProof`` of their name, whose checksum is compared when they are read.
///
/// All calls block; any thread may make them. What opens the folder is the first of them.
final class DiskStore: Sendable {
    /// What can be chosen when a store is made.
    struct Options: Sendable {
        var transformer: (any DiskDataTransformer)?
        /// How long a lock of another process is waited for.
        ///
        /// Locks are held for milliseconds; clearing a million files may take seconds.
        var lockLimit = Duration.seconds(5)
    }

    /// What readers and writers share; held for moments only, never during input or output.
    struct State {
        var index = DiskIndex()
        /// `nil` while the store is not open, or if the folder has no log and cannot be given one.
        var log: OpenFile?
        var logIdentity: FileIdentity?
        /// The bytes of the log that the index has followed.
        var position = 0
        var isOpen = false
        var isWritable = false
        var sizeLimit = 0
        var syncs = false
        /// When the folder could not be opened last.
        var lastFailure = -TimeInterval.infinity
        /// When the first access that the log lacks happened.
        var firstUnwritten = TimeInterval.infinity
        var statistics = DiskStatistics()
    }

    /// What only the thread that writes has.
    ///
    /// Its lock is the one that is held while blocking, for it stands for the log's own lock among
    /// the threads of this process, and the order of the log must be that of the renames.
    struct Writer {
        /// Held as long as the store lives, so that others know that somebody is there.
        var presence: OpenFile?
        /// What another process announced last, as far as it was read without the lock: whether it
        /// was done is known only to who has the lock.
        var unfinished = LogReader.Unfinished.nothing
        /// When the lock could not be had last.
        var refused: ContinuousClock.Instant?
    }

    let directory: String
    private let pathPrefix: String
    private let temporaryPrefix: String
    let logPath: String
    let presencePath: String
    let files: any FileSystem
    let clock: WallClock
    let options: Options
    let state = Mutex(State())
    /// Taken before ``state``, never after.
    let writer = Mutex(Writer())
    private let lastTemporary: Atomic<UInt64>

    /// Makes a store that opens its folder when it is first used.
    init(
        directory: String,
        files: any FileSystem = POSIXFileSystem(),
        clock: WallClock = .system,
        options: Options = .init()
    ) {
        self.directory = directory
        pathPrefix = directory + "/"
        temporaryPrefix = pathPrefix + "\(Self.ownPrefix)-"
        logPath = pathPrefix + "\(Self.ownPrefix).log"
        presencePath = pathPrefix + "\(Self.ownPrefix).lock"
        self.files = files
        self.clock = clock
        self.options = options
        // Random, for other processes make their names in the same folder.
        lastTemporary = Atomic(UInt64.random(in: 1...(.max / 2)))
    }

    deinit { flush() }

    // MARK: Names

    // Names of ours begin with this; as hidden files they are out of the way of those who list.
    static let ownPrefix = ".kingfisher"

    /// The path of an entry's file, whether it exists or not.
    func path(of name: String) -> String { pathPrefix + name }

    func temporaryPath(_ number: UInt64) -> String {
        temporaryPrefix + Hexadecimal.text(of: number) + ".tmp"
    }

    func makeTemporaryNumber() -> UInt64 {
        lastTemporary.wrappingAdd(1, ordering: .relaxed).newValue
    }

    // MARK: What is known without the disk

    /// The size above which a store trims by itself, in bytes; 0 is no limit.
    var sizeLimit: Int {
        get { state.withLock { $0.sizeLimit } }
        set { state.withLock { $0.sizeLimit = max(newValue, 0) } }
    }

    /// Whether a store returns only when its bytes are on the storage medium.
    var syncs: Bool {
        get { state.withLock { $0.syncs } }
        set { state.withLock { $0.syncs = newValue } }
    }

    /// Whether the index was read.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// The sum of the sizes of the entries, in bytes.
    var totalSize: Int {
        freshen()
        return state.withLock { $0.index.totalSize }
    }

    /// All entries, the least recently used first.
    var entries: [DiskEntry] {
        freshen()
        return state.withLock { Array($0.index.entries) }
    }

    var statistics: DiskStatistics {
        freshen()
        return state.withLock { state in
            var statistics = state.statistics
            statistics.size = state.index.totalSize
            statistics.count = state.index.count
            return statistics
        }
    }

    /// Whether there is an entry that is valid now, or at another time, and its file is there.
    ///
    /// Prolongs nothing; asks the file system for the file's status.
    func hasFile(_ name: String, at time: TimeInterval? = nil) -> Bool {
        contains(name, at: time) && (try? files.status(of: path(of: name))) != nil
    }

    /// Whether there is an entry that is valid now, or was or will be at another time.
    ///
    /// Prolongs nothing.
    func contains(_ name: String, at time: TimeInterval? = nil) -> Bool {
        freshen()
        let time = time ?? clock.now()
        return state.withLock { state in state.index.expiry(of: name).map { $0 > time } ?? false }
    }
}

import SystemPackage

/// The lock of a folder's log: its holder alone may change the folder.
///
/// It orders processes; a store orders its own threads.
struct FolderLock {
    private let folder: DiskFolder
    private let limit: Duration
    /// Locked during the store's lifetime, so that other processes know that the folder is in use.
    private var presence: OpenFile?
    /// The time of the last failure to get the lock.
    private var refused: ContinuousClock.Instant?

    /// Makes a lock for which callers wait at most `limit`.
    init(of folder: DiskFolder, limit: Duration) {
        self.folder = folder
        self.limit = limit
    }

    private var files: any FileSystem { folder.files }

    /// Creates a missing folder, and registers its use for the lifetime of this value.
    mutating func enterFolder() throws(Errno) {
        try files.makeDirectory(folder.path)
        let there = try? files.status(of: folder.presence)
        // A folder that contains our file was made for the cache; others may be shared
        // deliberately.
        if there != nil { files.restrict(directory: folder.path) }
        if let presence, let mine = try? files.status(of: presence),
            mine.identity == there?.identity
        {
            return
        }
        // Earlier versions delete all temporary files, unless others have locked this file.
        // Without this file, such a version may delete a temporary file of ours, and the affected
        // store writes it again.
        presence = try? openOwn(folder.presence)
        if let presence { try? files.lock(presence, sharing: true, waiting: limit) }
    }

    /// Opens one of the store's own files; a foreign file at its path is replaced.
    private func openOwn(_ path: String) throws(Errno) -> OpenFile {
        do throws(Errno) {
            return try files.open(path, writable: true)
        } catch .foreignFile {
            try files.remove(path)
            return try files.open(path, writable: true)
        }
    }

    /// Opens the log, and takes the lock.
    ///
    /// - Returns: The log, or `nil` if there is none and none can be created, and its identity, or
    ///   `nil` if it is not locked and can only be read.
    mutating func openLog() -> (log: OpenFile?, identity: FileIdentity?) {
        for _ in 0..<16 {
            // Not writable: the folder may be read-only, or the disk full.
            guard let log = try? openOwn(folder.log) else { break }
            do throws(Errno) {
                try take(of: log)
            } catch .timedOut {
                // The log can be read without the lock.
                break
            } catch {
                // A file system without locks is not used by a second process.
            }
            guard let mine = try? files.status(of: log) else { break }
            guard let there = try? files.status(of: folder.log) else { break }
            if mine.identity == there.identity { return (log, mine.identity) }
            files.unlock(log)
        }
        return (try? files.open(folder.log, writable: false), nil)
    }

    /// Takes the lock of an open log.
    ///
    /// After a timeout, no caller waits for the same time again.
    mutating func take(of log: OpenFile, waits: Bool = true) throws(Errno) {
        let wasRefused = refused.map { ContinuousClock.now - $0 < limit } ?? false
        let mayWait = waits && !wasRefused
        do throws(Errno) {
            try files.lock(log, sharing: false, waiting: mayWait ? limit : .zero)
            refused = nil
        } catch {
            if error == .timedOut, mayWait { refused = .now }
            throw error
        }
    }

    /// Why the log could not be opened for writing.
    var obstacle: DiskError {
        if refused != nil { return .locked(path: folder.path) }
        do throws(Errno) {
            _ = try files.open(folder.log, writable: true)
            return .cannotWriteIndex(path: folder.log, .resourceTemporarilyUnavailable)
        } catch {
            return .cannotWriteIndex(path: folder.log, error)
        }
    }
}

import Foundation
import Synchronization
import SystemPackage

/// The index of a folder, and the log that restores it.
///
/// Threads share the index, and processes share the log: each process follows the records that
/// others append. One thread of one process at a time has write access to the folder. All
/// methods block, except those that need the index alone.
final class DiskLog: Sendable {
    /// State shared by readers and writers; locked only briefly, never during input or output.
    private struct State {
        var index = DiskIndex()
        /// `nil` until the folder is open, or if it has no log and none can be created.
        var file: OpenFile?
        /// `nil` if nothing may be appended to the log.
        var identity: FileIdentity?
        /// The offset up to which the index has followed the log.
        var position = 0
        var isOpen = false
        /// The time of the last failure to open the folder.
        var lastFailure = -TimeInterval.infinity
    }

    /// State of the writing thread.
    ///
    /// Its lock is held during blocking operations: it extends the log's lock to the threads of
    /// this process, and records must be in the order of the renames.
    private struct Writer {
        var lock: FolderLock
        /// The last announcement of another process, as far as it was read without the lock.
        ///
        /// Only the holder of the lock can determine whether it was completed.
        var unfinished = LogReader.Unfinished.nothing
    }

    private let folder: DiskFolder
    private let clock: WallClock
    private let repair: FolderRepair
    private let state = Mutex(State())
    /// Locked before ``state``, never after it.
    private let writer: Mutex<Writer>
    private let waitsForMedium = Atomic(false)

    /// Makes a log that is opened on first use.
    init(of folder: DiskFolder, clock: WallClock, lockLimit: Duration, repair: FolderRepair) {
        self.folder = folder
        self.clock = clock
        self.repair = repair
        writer = Mutex(Writer(lock: FolderLock(of: folder, limit: lockLimit)))
    }

    private var files: any FileSystem { folder.files }

    /// Whether appending waits until the records are on the storage medium.
    var syncs: Bool {
        get { waitsForMedium.load(ordering: .relaxed) }
        set { waitsForMedium.store(newValue, ordering: .relaxed) }
    }

    // MARK: Index

    /// Whether the index has been read.
    var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Reads the index as it is now; `body` runs in the lock.
    func withIndex<Result: Sendable>(_ body: (DiskIndex) -> Result) -> Result {
        state.withLock { body($0.index) }
    }

    subscript(name: String) -> DiskEntry? { withIndex { $0[name] } }

    /// Changes an entry that is used; the log has the change later.
    ///
    /// - Returns: Whether such changes should be written now.
    func use(_ name: String, at now: TimeInterval, change: (inout DiskEntry) -> Bool) -> Bool {
        state.withLock { state in
            state.index.use(name, unwritten: .access, change: change)
            return state.identity != nil && state.index.isFlushDue(at: now)
        }
    }

    /// Removes an entry from the index alone.
    func forget(_ name: String) { state.withLock { _ = $0.index.remove(name) } }

    /// Keeps in memory why a name has no entry.
    func note(_ absence: DiskAbsence, of name: String) {
        state.withLock { state in
            if !state.index.contains(name) { state.index.absences.insert(absence, of: name) }
        }
    }

    /// The metadata of these bytes of an entry as the log has it; nil if there is none.
    func metadata(of name: String, checksum: UInt64) -> Data? {
        let (entry, file) = state.withLock { ($0.index[name], $0.file) }
        guard let entry, entry.checksum == checksum, let file else { return nil }
        return LogReader.metadata(of: entry, in: file, by: files)
    }

    // MARK: Opening

    /// Opens the folder unless it is open, or `again`, and creates a missing one.
    func prepare(again: Bool = false) throws(DiskError) {
        // Checked first, to avoid waiting for writers.
        if isOpen, !again { return }
        try writer.withLock { writer throws(DiskError) in
            if isOpen, !again { return }
            try open(&writer)
        }
    }

    /// Reads the log and the folder, and makes the index.
    ///
    /// Without write permission or free space, the folder is still readable.
    private func open(_ writer: inout Writer) throws(DiskError) {
        do throws(Errno) {
            try writer.lock.enterFolder()
        } catch {
            let closed = State(lastFailure: clock.now())
            state.change { $0 = closed }
            throw .cannotCreateDirectory(path: folder.path, error)
        }
        writer.unfinished = .nothing
        let (file, identity) = writer.lock.openLog()
        defer { if let file, identity != nil { files.unlock(file) } }
        var new = State(file: file, identity: identity)
        var isObsolete = false
        (new.index, new.position, isObsolete) =
            try repair.index(of: file, isWritable: identity != nil)
        // The earlier index is released outside the lock.
        state.withLock { state in
            new.isOpen = state.isOpen
            swap(&state, &new)
        }
        if let file, identity != nil, isObsolete {
            if let new = rewrite(instead: file) {
                files.unlock(new)
            } else {
                // Nothing may be appended to a log that is damaged or has no header.
                state.withLock { $0.identity = nil }
            }
        }
        // Set last, because readers that see it do not wait for the writer.
        state.withLock { $0.isOpen = true }
    }

    /// Completes the last announcements of the log, if they were not completed.
    private func finish(_ unfinished: LogReader.Unfinished) {
        guard let lost = repair.finish(unfinished) else { return }
        state.withLock { state in
            if state.index[lost.name]?.checksum == lost.checksum {
                _ = state.index.remove(lost.name)
            }
        }
    }

    // MARK: Following

    /// Applies the changes of other processes, unless the folder has to be opened for that.
    ///
    /// Costs one `fstat` of the open log if nothing changed.
    ///
    /// - Returns: Whether the index is as new as it can be.
    func catchUp() -> Bool {
        let (isOpen, file, position) = state.withLock { ($0.isOpen, $0.file, $0.position) }
        guard isOpen else { return false }
        // A log without a status is unreadable too; the next write reports it.
        guard let file, let status = try? files.status(of: file) else { return true }
        // The log was replaced or deleted.
        guard status.links > 0, status.size >= position else { return false }
        guard status.size > position else { return true }
        // If another thread is writing, it follows the log itself, so do not wait for it.
        _ = writer.withLockIfAvailable { writer in
            let reader = follow(file, to: status.size)
            if reader.end > 0 { writer.unfinished = reader.unfinished }
        }
        return true
    }

    /// Whether probes may open the folder: not if that failed less than a second ago.
    var mayOpen: Bool { !(0..<1).contains(clock.now() - state.withLock { $0.lastFailure }) }

    /// Opens the folder if needed, and applies the changes of other processes.
    ///
    /// After a failure the index is unchanged: reads miss, and the next write reports it.
    func freshen() {
        guard !catchUp(), mayOpen else { return }
        if isOpen { _ = writer.withLockIfAvailable { try? open(&$0) } } else { try? prepare() }
    }

    /// Applies the complete records between the index's position and `size`.
    private func follow(_ file: OpenFile, to size: Int) -> LogReader {
        let position = state.withLock { $0.position }
        var reader = LogReader()
        // After a failed read the next caller tries again.
        guard let bytes = try? files.read(file, from: position, count: size - position) else {
            return reader
        }
        var records: [(LogRecord, start: Int)] = []
        reader.read(bytes) { records.append(($0, position + $1)) }
        state.withLock { state in
            for (record, start) in records { state.index.apply(record, at: start) }
            state.position += reader.end
        }
        return reader
    }

    // MARK: Changing

    /// The right to change the folder, which no other thread or process has at the same time.
    struct WriteAccess {
        fileprivate let log: DiskLog
        fileprivate let file: OpenFile

        /// Appends records, without applying them to the index.
        func append(_ records: [LogRecord]) throws(DiskError) {
            do throws(Errno) {
                _ = try log.append(records, to: file)
            } catch {
                throw .cannotWriteIndex(path: log.folder.log, error)
            }
        }

        /// Appends a record, and applies it to the index.
        func note(_ record: LogRecord) throws(DiskError) {
            try append([record])
            log.apply(record)
        }

        /// Appends a record, changes the folder as it says, and applies it to the index.
        ///
        /// If the folder cannot be changed, the record is taken back.
        func announce(_ record: LogRecord, change: () throws(Errno) -> Void) throws(Errno) {
            let before = try log.append([record], to: file)
            do throws(Errno) {
                try change()
            } catch {
                log.takeBack(to: before, in: file)
                throw error
            }
            log.apply(record)
        }

        /// Puts a log of the entries as they are in place of this one, if possible.
        func rewriteLog() { log.rewrite(instead: file).map(log.files.unlock) }
    }

    /// Runs `body` while no other thread or process can change the folder.
    func changing<Result: Sendable>(
        _ body: (WriteAccess) throws(DiskError) -> Result
    ) throws(DiskError) -> Result {
        try writer.withLock { writer throws(DiskError) -> Result in
            let file = try lock(&writer)
            defer { files.unlock(file) }
            let result = try body(WriteAccess(log: self, file: file))
            if let new = rewriteIfWorthwhile() { files.unlock(new) }
            return result
        }
    }

    /// Locks the log that is currently at its path, follows it to its end, and completes the last
    /// announcement.
    private func lock(_ writer: inout Writer, waits: Bool = true) throws(DiskError) -> OpenFile {
        // Another round is needed only if another process has replaced the log meanwhile, which is
        // rare.
        for _ in 0..<16 {
            let (file, identity) = state.withLock { ($0.file, $0.identity) }
            guard let file, let identity else {
                try open(&writer)
                guard state.withLock({ $0.identity != nil }) else { throw writer.lock.obstacle }
                continue
            }
            do throws(Errno) {
                try writer.lock.take(of: file, waits: waits)
                // There is no readable file at the path, so it is not the open one.
                let there = try? files.status(of: folder.log)
                let position = state.withLock { $0.position }
                if let there, there.identity == identity, there.size >= position {
                    let isBehind = there.size > position
                    // The process that wrote more has finished earlier announcements.
                    let reader = isBehind ? follow(file, to: there.size) : nil
                    finish(reader?.unfinished ?? writer.unfinished)
                    // A process that died while it wrote left half a record.
                    let end = state.withLock { $0.position }
                    if end < there.size { try files.truncate(file, to: end) }
                    writer.unfinished = .nothing
                    return file
                }
            } catch .timedOut {
                throw .locked(path: folder.path)
            } catch {
                files.unlock(file)
                throw .cannotWriteIndex(path: folder.log, error)
            }
            files.unlock(file)
            guard waits else { break }
            try open(&writer)
        }
        throw .cannotWriteIndex(path: folder.log, .resourceTemporarilyUnavailable)
    }

    /// Appends records in one write, together with the unwritten changes of the index.
    ///
    /// The caller holds the lock. After a failure the log is unchanged.
    ///
    /// - Returns: The size of the log before, to which it can be truncated.
    private func append(_ records: [LogRecord], to file: OpenFile) throws(Errno) -> Int {
        let (position, unwritten) = state.withLock { ($0.position, $0.index.takeUnwritten()) }
        let all = unwritten + records
        if all.isEmpty { return position }
        let bytes = LogRecord.encode(all)
        do throws(Errno) {
            try files.append(bytes, to: file)
            if syncs { try files.sync(file) }
        } catch {
            takeBack(to: position, in: file)
            throw error
        }
        state.withLock { $0.position += bytes.count }
        return position
    }

    /// Applies the record at the end of the log to the index.
    private func apply(_ record: LogRecord) {
        state.withLock { $0.index.apply(record, at: $0.position - record.size) }
    }

    /// Truncates the log to its length before the last records.
    private func takeBack(to position: Int, in file: OpenFile) {
        do throws(Errno) {
            try files.truncate(file, to: position)
            state.withLock { $0.position = position }
        } catch {
            // The log contains a wrong record; the next write opens the folder again.
            state.withLock { $0.identity = nil }
        }
    }

    /// Writes pending changes of the index, unless another thread or process is writing.
    func flushIfNobodyWrites() {
        _ = writer.withLockIfAvailable { writer in
            // Accesses that cannot be written are lost, which slightly affects the order of
            // eviction.
            guard let file = try? lock(&writer, waits: false) else { return }
            _ = try? append([], to: file)
            files.unlock(file)
        }
    }

    /// Writes pending changes of the index: accesses, and checksums of files found in the folder.
    func flush() {
        let isDue = state.withLock { $0.identity != nil && $0.index.unwrittenCount > 0 }
        // Failure affects only the order and the expiration of the last accesses.
        if isDue { try? changing { access throws(DiskError) in try access.append([]) } }
    }

    // MARK: Rewriting

    /// Rewrites the log when more than half of it is obsolete.
    ///
    /// - Returns: The new log, whose lock is held, or `nil` if the old one is kept.
    private func rewriteIfWorthwhile() -> OpenFile? {
        let (file, position, live) = state.withLock { ($0.file, $0.position, $0.index.liveLogSize) }
        // 64 KiB: below it reading the log takes less than opening it.
        guard let file, position > 65_536, position > 2 * live else { return nil }
        return rewrite(instead: file)
    }

    /// Writes a log of the entries as they are, and puts it in place of the old one.
    ///
    /// On failure the old log is kept, which is still correct.
    private func rewrite(instead old: OpenFile) -> OpenFile? {
        // Copy-on-write: costs nothing unless an access is recorded meanwhile.
        let index = state.withLock { state in
            _ = state.index.takeUnwritten()
            return state.index
        }
        let (bytes, moved) = index.log(instead: old, by: files, at: clock.now())
        let temporary = folder.temporaryPath(folder.makeTemporaryNumber())
        do throws(Errno) {
            // Always synced: a power failure must not lose both the old and the new log.
            let (new, status) = try files.write(bytes, proof: nil, toNew: temporary, synced: true)
            try files.rename(temporary, to: folder.log)
            state.withLock { state in
                state.file = new
                state.identity = status.identity
                state.position = bytes.count
                for (name, place) in moved { state.index.describe(name, by: place) { _ in true } }
            }
            return new
        } catch {
            // A temporary file; the next process that opens the folder deletes it.
            try? files.remove(temporary)
            return nil
        }
    }
}

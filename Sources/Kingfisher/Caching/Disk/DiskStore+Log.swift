import Foundation
import Synchronization
import SystemPackage

/// Following and writing the log.
extension DiskStore {
    // MARK: Following

    /// Opens the store if needed, and applies the changes of other processes.
    ///
    /// Costs one `fstat` of the open log if nothing changed. After a failure the index is
    /// unchanged: reads miss, and the next write reports the failure.
    func freshen() {
        let (isOpen, log, position) = state.withLock { ($0.isOpen, $0.log, $0.position) }
        guard isOpen else {
            // At most one retry per second for probes; stores and reads retry immediately.
            let sinceFailure = clock.now() - state.withLock { $0.lastFailure }
            // The next write reports the error.
            if !(0..<1).contains(sinceFailure) { try? prepare() }
            return
        }
        guard let log else { return }
        // A log without a status is unreadable too; the next write reports it.
        guard let status = try? files.status(of: log) else { return }
        if status.links > 0, status.size == position { return }
        // If another thread is writing, it follows the log itself, so do not wait for it.
        _ = writer.withLockIfAvailable { writer in
            if status.links == 0 || status.size < position {
                // The log was replaced or deleted; the next write reports a failure to open it.
                try? open(&writer)
            } else {
                let reader = follow(log, to: status.size)
                if reader.end > 0 { writer.unfinished = reader.unfinished }
            }
        }
    }

    /// Opens the store if needed, and creates a missing folder.
    func prepare() throws(DiskError) {
        // Checked first, to avoid waiting for writers.
        if isOpen { return }
        try writer.withLock { writer throws(DiskError) in
            if state.withLock({ $0.isOpen }) { return }
            try open(&writer)
        }
    }

    /// Applies the complete records between the index's position and `size`.
    private func follow(_ log: OpenFile, to size: Int) -> LogReader {
        let position = state.withLock { $0.position }
        var reader = LogReader()
        // After a failed read the next caller tries again.
        guard let bytes = try? files.read(log, from: position, count: size - position) else {
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

    // MARK: Writing

    /// Runs `body` while no other thread or process can change the folder.
    func changing<Result: Sendable>(
        _ body: (OpenFile) throws(DiskError) -> Result
    ) throws(DiskError) -> Result {
        try writer.withLock { writer throws(DiskError) -> Result in
            let log = try lockLog(&writer)
            defer { files.unlock(log) }
            let result = try body(log)
            if let new = rewriteLogIfWorthwhile() { files.unlock(new) }
            return result
        }
    }

    /// Locks the log that is currently at its path, and follows it to its end.
    private func lockLog(_ writer: inout Writer) throws(DiskError) -> OpenFile {
        // Another round is needed only if another process has replaced the log meanwhile, which is
        // rare.
        for _ in 0..<16 {
            let (log, identity) = state.withLock { ($0.log, $0.logIdentity) }
            guard let log, let identity else {
                try open(&writer)
                guard state.withLock({ $0.logIdentity != nil }) else { throw writer.lock.obstacle }
                continue
            }
            do throws(Errno) {
                try writer.lock.take(of: log)
                // There is no readable file at the path, so it is not the open one.
                let there = try? files.status(of: folder.log)
                let position = state.withLock { $0.position }
                if let there, there.identity == identity, there.size >= position {
                    if there.size > position {
                        // The process that wrote more has finished earlier announcements.
                        try catchUp(log, to: there.size)
                    } else {
                        finish(writer.unfinished)
                    }
                    writer.unfinished = .nothing
                    return log
                }
            } catch .timedOut {
                throw .locked(path: folder.path)
            } catch {
                files.unlock(log)
                throw .cannotWriteIndex(path: folder.log, error)
            }
            files.unlock(log)
            try open(&writer)
        }
        throw .cannotWriteIndex(path: folder.log, .resourceTemporarilyUnavailable)
    }

    /// Follows the log and completes the last announcement of its last writer.
    private func catchUp(_ log: OpenFile, to size: Int) throws(Errno) {
        let reader = follow(log, to: size)
        finish(reader.unfinished)
        // The writer of an incomplete record has died, since this process holds the lock.
        let end = state.withLock { $0.position }
        if end < size { try files.truncate(log, to: end) }
    }

    /// Appends records in one write, together with the unwritten changes of the index.
    ///
    /// The caller holds the lock. After a failure the log is unchanged.
    ///
    /// - Returns: The size of the log before, to which it can be truncated.
    @discardableResult
    func append(_ records: [LogRecord], to log: OpenFile) throws(Errno) -> Int {
        let (position, unwritten) = state.withLock { ($0.position, $0.index.takeUnwritten()) }
        let all = unwritten.isEmpty ? records : unwritten + records
        if all.isEmpty { return position }
        let bytes = LogRecord.encode(all)
        do throws(Errno) {
            try files.append(bytes, to: log)
            if syncs { try files.sync(log) }
        } catch {
            takeBack(to: position, in: log)
            throw error
        }
        state.withLock { $0.position += bytes.count }
        return position
    }

    /// Truncates the log to its length before the last records.
    func takeBack(to position: Int, in log: OpenFile) {
        do throws(Errno) {
            try files.truncate(log, to: position)
            state.withLock { $0.position = position }
        } catch {
            // The log contains a wrong record; the next write opens the folder again.
            state.withLock { $0.logIdentity = nil }
        }
    }

    /// Writes pending changes of the index, unless another thread is writing.
    func flushIfNobodyWrites() {
        _ = writer.withLockIfAvailable { writer in
            // Accesses that cannot be written are lost, which slightly affects the order of
            // eviction.
            guard let log = try? lockLog(&writer) else { return }
            _ = try? append([], to: log)
            files.unlock(log)
        }
    }

    /// Writes pending changes of the index: accesses, and checksums of files found in the folder.
    func flush() {
        let isDue = state.withLock { $0.logIdentity != nil && $0.index.unwrittenCount > 0 }
        guard isDue else { return }
        // Failure affects only the order and the expiration of the last accesses.
        try? changing { log throws(DiskError) in
            _ = try? append([], to: log)
        }
    }
}

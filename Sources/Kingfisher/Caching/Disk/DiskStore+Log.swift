import Foundation
import Synchronization
import SystemPackage

/// Following and writing the log.
extension DiskStore {
    // MARK: Following

    /// Opens the store if it is not open, and follows what other processes did.
    ///
    /// Costs one `fstat` of the open log if nothing happened. A failure leaves the index as it was:
    /// readers miss, and writers see the failure again and report it.
    func freshen() {
        let (isOpen, log, position) = state.withLock { ($0.isOpen, $0.log, $0.position) }
        guard isOpen else {
            // A second: the next one to store or read tries at once, but not every probe.
            let sinceFailure = clock.now() - state.withLock { $0.lastFailure }
            // See above: the next one to write reports it.
            if !(0..<1).contains(sinceFailure) { try? prepare() }
            return
        }
        guard let log else { return }
        // A log that gives no status is not readable either; writers find out.
        guard let status = try? files.status(of: log) else { return }
        if status.links > 0, status.size == position { return }
        // If a thread of ours is writing, it follows the log first and need not be waited for.
        _ = writer.withLockIfAvailable { writer in
            if status.links == 0 || status.size < position {
                // The log was replaced or deleted; if it cannot be opened again see above.
                try? open(&writer)
            } else {
                let reader = follow(log, to: status.size)
                if reader.end > 0 { writer.unfinished = reader.unfinished }
            }
        }
    }

    /// Opens the store if it is not open, making the folder if it is missing.
    func prepare() throws(DiskError) {
        // Checked first, to avoid waiting for writers.
        if isOpen { return }
        try writer.withLock { writer throws(DiskError) in
            if state.withLock({ $0.isOpen }) { return }
            try open(&writer)
        }
    }

    /// Applies the records between the index's position and `size`, as far as they are whole.
    private func follow(_ log: OpenFile, to size: Int) -> LogReader {
        let position = state.withLock { $0.position }
        var reader = LogReader()
        // A failed read is repeated by the next caller.
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

    /// Runs `body` while no other thread and no other process changes the folder.
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

    /// Locks the log that is at its path now, and follows it to its end.
    private func lockLog(_ writer: inout Writer) throws(DiskError) -> OpenFile {
        // Each round means that another process replaced the log meanwhile; that is rare enough.
        for _ in 0..<16 {
            let (log, isWritable) = state.withLock { ($0.log, $0.isWritable) }
            guard let log, isWritable else {
                try open(&writer)
                guard state.withLock({ $0.isWritable }) else {
                    throw writer.refused == nil ? whyNotWritable() : .locked(path: directory)
                }
                continue
            }
            do throws(Errno) {
                try lock(log, &writer)
                // No file at the path, or none that can be looked at: not the one that is open.
                let there = try? files.status(of: logPath)
                let (identity, position) = state.withLock { ($0.logIdentity, $0.position) }
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
                throw .locked(path: directory)
            } catch {
                files.unlock(log)
                throw .cannotWriteIndex(path: logPath, error)
            }
            files.unlock(log)
            try open(&writer)
        }
        throw .cannotWriteIndex(path: logPath, .resourceTemporarilyUnavailable)
    }

    /// Follows the log and finishes what its last writer may have left unfinished.
    private func catchUp(_ log: OpenFile, to size: Int) throws(Errno) {
        let reader = follow(log, to: size)
        finish(reader.unfinished)
        // The writer of half a record is dead, as this process holds the lock.
        let end = state.withLock { $0.position }
        if end < size { try files.truncate(log, to: end) }
    }

    private func whyNotWritable() -> DiskError {
        do throws(Errno) {
            _ = try files.open(logPath, writable: true)
            return .cannotWriteIndex(path: logPath, .resourceTemporarilyUnavailable)
        } catch {
            return .cannotWriteIndex(path: logPath, error)
        }
    }

    /// Appends records with what the log lacks so far, in one piece.
    ///
    /// The caller holds the lock. After a failure the log is unchanged.
    ///
    /// - Returns: The size of the log before, to which it can be truncated.
    @discardableResult
    func append(_ records: [LogRecord], to log: OpenFile) throws(Errno) -> Int {
        let (position, unwritten) = state.withLock { state in
            state.firstUnwritten = .infinity
            return (state.position, state.index.takeUnwritten())
        }
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

    /// Makes the log end where it ended before the last records.
    func takeBack(to position: Int, in log: OpenFile) {
        do throws(Errno) {
            try files.truncate(log, to: position)
            state.withLock { $0.position = position }
        } catch {
            // The log has a wrong record; the next writer opens the folder again.
            state.withLock { $0.isWritable = false }
        }
    }

    /// Writes what the log lacks, unless another thread is writing.
    func flushIfNobodyWrites() {
        _ = writer.withLockIfAvailable { writer in
            // Accesses that cannot be written are lost, which makes the order a little worse.
            guard let log = try? lockLog(&writer) else { return }
            _ = try? append([], to: log)
            files.unlock(log)
        }
    }

    /// Writes what the log lacks: accesses, and checksums of files that were found.
    func flush() {
        guard state.withLock({ $0.isWritable && $0.index.unwrittenCount > 0 }) else { return }
        // As above: nothing but the order and the expiry of the last accesses depends on it.
        try? changing { log throws(DiskError) in
            _ = try? append([], to: log)
        }
    }
}

extension DiskStore.State {
    /// Whether what the log lacks has waited long enough or is much.
    func isFlushDue(at now: TimeInterval) -> Bool {
        // 512 records are 50 KB; half a minute of accesses is what a crash may cost.
        index.unwrittenCount >= 512 || now - firstUnwritten > 30
    }
}

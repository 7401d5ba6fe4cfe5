import Foundation
import Synchronization
import SystemPackage

/// Opening the folder, and rewriting the log.
extension DiskStore {
    /// Reads the log and the folder, and makes the index.
    ///
    /// Without write permission or free space, the store is still readable.
    func open(_ writer: inout Writer) throws(DiskError) {
        try openFolder(&writer)
        // Set last, because readers that see it do not wait for the writer.
        state.withLock { $0.isOpen = true }
    }

    private func openFolder(_ writer: inout Writer) throws(DiskError) {
        do throws(Errno) {
            try files.makeDirectory(folder.path)
            // A folder that contains our file was made for the cache; others may be shared
            // deliberately.
            if (try? files.status(of: folder.presence)) != nil {
                files.restrict(directory: folder.path)
            }
        } catch {
            close()
            state.withLock { $0.lastFailure = clock.now() }
            throw .cannotCreateDirectory(path: folder.path, error)
        }
        writer.lock.notePresence()
        writer.unfinished = .nothing
        let (log, identity) = writer.lock.openLog()
        defer { if let log, identity != nil { files.unlock(log) } }
        try load(log, identity)
    }

    private func close() {
        state.withLock { state in
            state.index = DiskIndex()
            state.log = nil
            state.logIdentity = nil
            state.position = 0
            state.isOpen = false
        }
    }

    private func load(_ log: OpenFile?, _ identity: FileIdentity?) throws(DiskError) {
        // An unreadable log is treated as missing: the folder has the files.
        let read = log.flatMap { self.read($0) } ?? (DiskIndex(), LogReader())
        var index = read.0
        let reader = read.1
        let size = reader.position
        let isNew = size == 0
        let isDamaged = !isNew && (reader.damagedBytes > 0 || reader.end < size)
        if identity != nil { finish(reader.unfinished) }
        let (adopted, damaged) = try repair.compare(
            &index,
            doubtsEntries: isDamaged,
            isWritable: identity != nil
        )
        let isRebuilt = isDamaged || isNew && index.count > 0
        state.withLock { state in
            state.index = index
            state.log = log
            state.logIdentity = identity
            state.position = size
            state.statistics.adopted += adopted
            state.statistics.damaged += damaged
            state.statistics.rebuilds += isRebuilt ? 1 : 0
        }
        guard let log, identity != nil, isNew || isRebuilt else { return }
        if let new = rewriteLog(instead: log) {
            files.unlock(new)
        } else {
            // Nothing may be appended to a log that is damaged or has no header.
            state.withLock { $0.logIdentity = nil }
        }
    }

    // A million entries take a quarter of this.
    private static let maximalLogSize = 1 << 30

    // Little more than the longest record: a whole log in memory would take as much as the index.
    private static let windowSize = LogRecord.prefixSize + LogRecord.maximalBodySize + 256 * 1024

    private func read(_ log: OpenFile) -> (DiskIndex, LogReader)? {
        guard let status = try? files.status(of: log), status.size <= Self.maximalLogSize
        else { return nil }
        var (index, reader) = (DiskIndex(), LogReader())
        index.reserve(logSize: status.size)
        while reader.position < status.size {
            let rest = status.size - reader.position
            let count = min(rest, Self.windowSize)
            guard let bytes = try? files.read(log, from: reader.position, count: count) else {
                return nil
            }
            // Fewer bytes mean that the log was truncated meanwhile.
            let isLast = bytes.count == rest || bytes.count < count
            reader.read(bytes, isLast: isLast) { index.apply($0, at: $1) }
            if isLast { break }
        }
        return (index, reader)
    }

    /// Completes the last announcements of the log, if they were not completed.
    func finish(_ unfinished: LogReader.Unfinished) {
        guard let lost = repair.finish(unfinished) else { return }
        state.withLock { state in
            if state.index[lost.name]?.checksum == lost.checksum {
                _ = state.index.remove(lost.name)
            }
        }
    }

    // MARK: Rewriting the log

    /// Rewrites the log when more than half of it is obsolete.
    ///
    /// - Returns: The new log, whose lock is held, or `nil` if the old one is kept.
    func rewriteLogIfWorthwhile() -> OpenFile? {
        let (log, position, live) = state.withLock { ($0.log, $0.position, $0.index.liveLogSize) }
        // 64 KiB: below it reading the log takes less than opening it.
        guard let log, position > 65_536, position > 2 * live else { return nil }
        return rewriteLog(instead: log)
    }

    /// Writes a log of the entries as they are, and puts it in place of the old one.
    ///
    /// On failure the old log is kept, which is still correct.
    @discardableResult
    func rewriteLog(instead log: OpenFile) -> OpenFile? {
        // Copy-on-write: costs nothing unless an access is recorded meanwhile.
        let index = state.withLock { state in
            _ = state.index.takeUnwritten()
            return state.index
        }
        let (bytes, moved) = encode(index, with: log)
        let temporary = folder.temporaryPath(folder.makeTemporaryNumber())
        do throws(Errno) {
            // Always synced: a power failure must not lose both the old and the new log.
            let (new, status) = try files.write(bytes, proof: nil, toNew: temporary, synced: true)
            try files.rename(temporary, to: folder.log)
            state.withLock { state in
                state.log = new
                state.logIdentity = status.identity
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

    /// The log of the current entries with the metadata of the old log, and the new places of the
    /// metadata.
    private func encode(
        _ index: DiskIndex,
        with old: OpenFile
    ) -> (bytes: Data, moved: [(name: String, place: LogPlace)]) {
        let now = clock.now()
        let absences = index.absences.filter { $0.value.expiry > now }
        let head = LogRecord.encode(
            absences.map { .absent($0.key.string, $0.value) },
            after: LogRecord.header
        )
        var start = head.count
        var moved: [(name: String, place: LogPlace)] = []
        let records = index.entries.lazy.map { [self] entry -> LogRecord in
            let metadata = sealedMetadata(of: entry, in: old) ?? Data()
            let record = LogRecord.stored(entry, temporary: 0, metadata: metadata)
            if entry.metadata.count > 0 {
                moved.append((entry.name, LogPlace(start: start, count: metadata.count)))
            }
            start += record.size
            return record
        }
        let bytes = LogRecord.encode(records, size: index.liveLogSize, after: head)
        return (bytes, moved)
    }
}

import Foundation
import Synchronization
import SystemPackage

/// Opening the folder, mending what a crash or a stranger left, and writing the log anew.
extension DiskStore {
    /// Reads the log and the folder, and makes the index of them.
    ///
    /// Without permission to write, or without space, the store can be read all the same.
    func open(_ writer: inout Writer) throws(DiskError) {
        try openFolder(&writer)
        // Last, for who sees it goes on without waiting for the writer.
        state.withLock { $0.isOpen = true }
    }

    private func openFolder(_ writer: inout Writer) throws(DiskError) {
        do throws(Errno) {
            try files.makeDirectory(directory)
        } catch {
            close()
            state.withLock { $0.lastFailure = clock.now() }
            throw .cannotCreateDirectory(path: directory, error)
        }
        let isAlone = notePresence(&writer)
        defer {
            // If that fails the lock stays ours alone, and others leave temporary files.
            if isAlone, let presence = writer.presence { try? files.share(presence) }
        }
        writer.unfinished = .nothing
        let opened = openLog()
        defer { if let log = opened.log, opened.isWritable { files.unlock(log) } }
        try load(opened, isAlone: isAlone)
    }

    /// Lets others know that this store is there, as long as it lives.
    ///
    /// - Returns: Whether it is the only one and has written nothing yet, so that whatever is
    ///   temporary was left by one that died. Then nobody else comes in until the lock is shared.
    private func notePresence(_ writer: inout Writer) -> Bool {
        if let presence = writer.presence, let mine = try? files.status(of: presence),
            let there = try? files.status(of: presencePath), mine.identity == there.identity
        {
            // Opened anew: threads of our own may be writing, and were we absent for a moment,
            // another would take their files for left ones.
            return false
        }
        writer.presence = nil
        // Without this file nobody can tell that others are there, so nothing temporary is deleted.
        guard let presence = try? files.open(presencePath, writable: true) else { return false }
        writer.presence = presence
        if (try? files.lockIfFree(presence)) == true { return true }
        // Waits for one that is opening the folder alone. If it fails our temporary files are at
        // the mercy of the others, and a store of ours that loses its file says so.
        try? files.share(presence)
        return false
    }

    private func close() {
        state.withLock { state in
            state.index = DiskIndex()
            state.log = nil
            state.logIdentity = nil
            state.position = 0
            state.isOpen = false
            state.isWritable = false
        }
    }

    private struct OpenedLog {
        var log: OpenFile?
        var identity: FileIdentity?
        var isWritable = false
    }

    private func openLog() -> OpenedLog {
        for _ in 0..<16 {
            // Not writable: the folder may be read-only, or the disk full.
            guard let log = try? files.open(logPath, writable: true) else { break }
            // A file system without locks has no second process that would use it either.
            try? files.lock(log)
            guard let mine = try? files.status(of: log) else { break }
            guard let there = try? files.status(of: logPath) else { break }
            if mine.identity == there.identity {
                return OpenedLog(log: log, identity: mine.identity, isWritable: true)
            }
            files.unlock(log)
        }
        return OpenedLog(log: try? files.open(logPath, writable: false))
    }

    private func load(_ opened: OpenedLog, isAlone: Bool) throws(DiskError) {
        let bytes = opened.log.flatMap(readAll) ?? Data()
        var index = DiskIndex()
        var reader = LogReader()
        index.reserve(logSize: bytes.count)
        reader.read(bytes) { index.apply($0) }
        let isAfterPowerCut = reader.bootID != nil && reader.bootID != options.bootID
        let isNew = bytes.isEmpty
        let isDamaged = !isNew && (reader.damagedBytes > 0 || reader.end < bytes.count)
        if opened.isWritable { finish(reader.unfinished) }
        var statistics = DiskStatistics()
        try compare(
            &index,
            trust: isAfterPowerCut ? .untilLastStore : isDamaged ? .asFound : .entries,
            deletesTemporary: isAlone,
            &statistics
        )
        let isRebuilt = isDamaged || isNew && index.count > 0
        state.withLock { state in
            state.index = index
            state.log = opened.log
            state.logIdentity = opened.identity
            state.position = bytes.count
            state.isWritable = opened.isWritable
            state.statistics.adopted += statistics.adopted
            state.statistics.damaged += statistics.damaged
            state.statistics.rebuilds += isRebuilt ? 1 : 0
        }
        guard opened.isWritable, let log = opened.log else { return }
        if isNew || isRebuilt {
            if let new = rewriteLog(instead: log) {
                files.unlock(new)
            } else {
                // Nothing must be appended to a log without header or with damage.
                state.withLock { $0.isWritable = false }
            }
        } else if let boot = options.bootID, boot != reader.bootID {
            noteBoot(boot, in: log)
        }
    }

    private func noteBoot(_ id: String, in log: OpenFile) {
        do throws(Errno) {
            try append([.booted(id)], to: log)
            try files.sync(log)
        } catch {
            // Then the next one to open the folder doubts more files than it has to.
        }
    }

    private func readAll(_ log: OpenFile) -> Data? {
        // A log that cannot be read is as good as none: the folder has the files.
        guard let status = try? files.status(of: log) else { return nil }
        return try? files.read(log, from: 0, count: status.size)
    }

    // MARK: Mending

    /// Does what the last records of the log announce, if that was not done.
    func finish(_ unfinished: LogReader.Unfinished) {
        // What fails here was done already, or is in the way of a file that has an entry and whose
        // checksum will tell, or stays without entry and is found when the store is opened again.
        switch unfinished {
        case .nothing:
            break
        case .store(let entry, let temporary):
            finishStore(of: entry, at: temporaryPath(temporary))
        case .removals(let names):
            for name in names { try? files.remove(path(of: name)) }
        case .clearing:
            for name in (try? visibleNames()) ?? [] { try? files.remove(path(of: name)) }
        }
    }

    /// Gives a file its name that was announced, or deletes the one that it has replaced already.
    private func finishStore(of entry: DiskEntry, at temporary: String) {
        // Most often there is none, because its store has ended.
        guard let bytes = try? files.read(temporary, expecting: entry.size) else { return }
        if bytes.count == entry.size, entry.checksum == Checksum.of(bytes) {
            try? files.rename(temporary, to: path(of: entry.name))
        } else {
            try? files.remove(temporary)
        }
    }

    func visibleNames() throws(Errno) -> [String] {
        try files.names(in: directory) { !$0.hasPrefix(Self.ownPrefix) }
    }

    /// What is believed of files that the log does not know as they are.
    private enum Trust {
        /// They are strangers; what has an entry is as the entry says until it is read.
        case entries
        /// They are what was stored, for parts of the log are missing.
        case asFound
        /// Those that are younger than the last store in the log may have lost bytes.
        case untilLastStore
    }

    /// Removes entries without a file, and makes entries of files without one.
    ///
    /// Entries of a damaged log may be older than their files; those that do not look like theirs
    /// are made again of them.
    private func compare(
        _ index: inout DiskIndex,
        trust: Trust,
        deletesTemporary: Bool,
        _ statistics: inout DiskStatistics
    ) throws(DiskError) {
        // A minute: who wrote a file may have waited for his turn to announce it.
        let lastStore = index.lastModified - 60_000_000_000
        let names: [String]
        do throws(Errno) {
            names = try files.names(in: directory) { name in
                if name.hasPrefix(Self.ownPrefix) {
                    return deletesTemporary && name.hasSuffix(".tmp")
                }
                // The others are hidden files of somebody else's.
                return index.confirm(name)
                    ? !isBelieved(name, in: index, trust) : !name.hasPrefix(".")
            }
        } catch {
            throw .cannotList(path: directory, error)
        }
        var found: [DiskEntry] = []
        for name in names {
            if name.hasPrefix(Self.ownPrefix) {
                // Left by a process that died; if it cannot be deleted, the next one tries.
                try? files.remove(path(of: name))
                continue
            }
            let known = index[name]
            guard var entry = adopt(name) else { continue }
            if let known {
                if entry.size == known.size, entry.modified == known.modified { continue }
                entry.key = known.key
                entry.expiry = known.expiry
                entry.lifetime = known.lifetime
            }
            if case .untilLastStore = trust, entry.modified >= lastStore {
                // What cannot be deleted is no entry at least, until the folder is opened again.
                try? files.remove(path(of: name))
                index.remove(name)
                statistics.damaged += 1
            } else {
                found.append(entry)
            }
        }
        index.removeUnconfirmed()
        for entry in found.sorted(by: { $0.access < $1.access }) {
            index.put(entry, unwritten: .everything)
        }
        statistics.adopted = found.count
    }

    /// Whether an entry stands whatever its file looks like.
    private func isBelieved(_ name: String, in index: DiskIndex, _ trust: Trust) -> Bool {
        switch trust {
        case .entries: true
        case .asFound: false
        // The checksum will tell.
        case .untilLastStore: index[name]?.checksum != nil
        }
    }

    /// Makes an entry of a file that has none; its checksum is taken when it is read first.
    private func adopt(_ name: String) -> DiskEntry? {
        // A file that vanished, or may not be looked at, is none of ours.
        guard let status = try? files.status(of: path(of: name)) else { return nil }
        let now = clock.now()
        let modified =
            TimeInterval(status.modified) * 1e-9 - Date.timeIntervalBetween1970AndReferenceDate
        return DiskEntry(
            name: name,
            key: "",
            size: status.size,
            checksum: nil,
            modified: status.modified,
            access: min(modified, now),
            expiry: now + options.adoptedLifetime,
            lifetime: options.adoptedLifetime
        )
    }

    // MARK: Writing the log anew

    /// Writes the log anew when more than half of it is of no use any more.
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
    /// If that fails the old one is kept, which is right as it is.
    @discardableResult
    func rewriteLog(instead log: OpenFile) -> OpenFile? {
        // A copy costs nothing unless somebody reads meanwhile.
        let index = state.withLock { state in
            _ = state.index.takeUnwritten()
            state.firstUnwritten = .infinity
            return state.index
        }
        let boot = options.bootID.map { [LogRecord.booted($0)] } ?? []
        let bytes = LogRecord.encode(
            index.entries.lazy.map { .stored($0, temporary: 0) },
            size: index.liveLogSize,
            after: LogRecord.encode(boot, after: LogRecord.header)
        )
        let temporary = temporaryPath(makeTemporaryNumber())
        do throws(Errno) {
            // Always to the medium: a power cut must not take the old log and the new one.
            let status = try files.write(bytes, toNew: temporary, synced: true)
            let new = try files.open(temporary, writable: true)
            try files.lock(new)
            try files.rename(temporary, to: logPath)
            state.withLock { state in
                state.log = new
                state.logIdentity = status.identity
                state.position = bytes.count
            }
            return new
        } catch {
            // It is temporary: at the latest the next process that is alone deletes it.
            try? files.remove(temporary)
            return nil
        }
    }
}

import Foundation
import Synchronization
import SystemPackage

extension DiskStore {
    /// Returns the bytes of an entry; see ``contents(named:extending:)``.
    func data(
        named name: String,
        extending: ExpirationExtending = .cacheTime
    ) throws(DiskError) -> Data? {
        try contents(named: name, extending: extending)?.data
    }

    /// Returns the bytes of a valid entry, verified against its checksum.
    ///
    /// Changed bytes count as damaged: the file is deleted and the result is `nil`. A miss does not
    /// access the disk. An expired entry is a miss and stays until the next cleaning; so does one
    /// with another division.
    func contents(
        named name: String,
        _ division: KeyDivision = .any,
        extending: ExpirationExtending = .cacheTime
    ) throws(DiskError) -> DiskContents? {
        let now = clock.now()
        // The index is used as it is, whatever other processes did since. If the file is missing or
        // has other bytes, follow the log and try again.
        let known = state.withLock { state -> DiskEntry? in
            state.index[name].flatMap {
                $0.expiry > now && $0.division.matches(division) ? $0 : nil
            }
        }
        if let known, let found = try contents(of: known, extending: extending, at: now) {
            return found
        }
        freshen()
        let found = state.withLock { state -> DiskEntry? in
            guard let entry = state.index[name], entry.division.matches(division) else {
                state.statistics.absences += 1
                return nil
            }
            if entry.expiry > now { return entry }
            state.statistics.staleReads += 1
            return nil
        }
        guard let entry = found else { return nil }
        if let found = try contents(of: entry, extending: extending, at: now) { return found }
        return try readAgain(name, division, extending: extending, at: now)
    }

    /// Deletes an entry whose bytes are intact but which its reader cannot decode.
    func discardDamaged(_ name: String) {
        discard(name, if: { true })
    }

    /// Reads a file; `nil` if there is none or its bytes are not those of the entry.
    private func contents(
        of entry: DiskEntry,
        extending: ExpirationExtending,
        at now: TimeInterval
    ) throws(DiskError) -> DiskContents? {
        let bytes: Data
        do throws(Errno) {
            bytes = try files.read(folder.path(of: entry.name), expecting: entry.size)
        } catch .noSuchFileOrDirectory, .foreignFile {
            return nil
        } catch .permissionDenied where (try? files.status(of: folder.path(of: entry.name))) == nil
        {
            // The folder is inaccessible, not the file.
            return nil
        } catch {
            state.withLock { $0.statistics.unreadable += 1 }
            throw .cannotRead(path: folder.path(of: entry.name), key: entry.key, error)
        }
        guard bytes.count == entry.size else { return nil }
        guard entry.checksum == Checksum.of(bytes), let data = opened(bytes, of: entry) else {
            return nil
        }
        let isFlushDue = noteRead(of: entry, extending: extending, at: now)
        if isFlushDue { flushIfNobodyWrites() }
        let metadata =
            entry.metadata.count > 0
            ? metadata(of: entry.name, checksum: entry.checksum) : nil
        return DiskContents(data: data, metadata: metadata)
    }

    private func opened(_ bytes: Data, of entry: DiskEntry) -> Data? {
        guard let transformer = options.transformer else { return bytes }
        // By contract, bytes that the transformer cannot open are damaged.
        return try? transformer.open(bytes, name: entry.name)
    }

    /// - Returns: Whether pending changes of the index should be written now.
    private func noteRead(
        of entry: DiskEntry,
        extending: ExpirationExtending,
        at now: TimeInterval
    ) -> Bool {
        var isUse = true
        if case .none = extending { isUse = false }
        return state.withLock { state in
            state.statistics.hits += 1
            guard isUse else { return false }
            state.index.use(entry.name, unwritten: .access) { known in
                // Stored again meanwhile: the access refers to the previous file.
                guard known.modified == entry.modified, known.checksum == entry.checksum,
                    known.size == entry.size
                else { return false }
                known.extend(extending, at: now)
                return true
            }
            return state.index.isFlushDue(at: now)
        }
    }

    /// Reads under the writers' lock, because the file may have been replaced after the index was
    /// read.
    private func readAgain(
        _ name: String,
        _ division: KeyDivision,
        extending: ExpirationExtending,
        at now: TimeInterval
    ) throws(DiskError) -> DiskContents? {
        var found: DiskContents?
        discard(name) {
            guard let entry = state.withLock({ $0.index[name] }),
                entry.division.matches(division)
            else { return false }
            do throws(DiskError) {
                found = try contents(of: entry, extending: extending, at: now)
            } catch {
                // Unreadable now: that is no reason to delete it.
                return false
            }
            return found == nil
        }
        if found == nil { state.withLock { $0.statistics.damagedReads += 1 } }
        return found
    }

    /// Deletes an entry under the writers' lock, if it is still damaged then.
    func discard(_ name: String, if isDamaged: () -> Bool) {
        do throws(DiskError) {
            try changing { log throws(DiskError) in
                guard isDamaged() else { return }
                let isKnown = state.withLock { $0.index.contains(name) }
                guard isKnown, try delete([name], log: log).removed == [name] else { return }
                state.withLock { $0.statistics.damaged += 1 }
            }
        } catch {
            // In a read-only folder the damaged file stays; it is not used again, because its
            // checksum will not match.
            state.withLock { _ = $0.index.remove(name) }
        }
    }
}

extension DiskStore {
    /// Compares all files with the index.
    ///
    /// Reads the whole cache, which remains usable meanwhile.
    ///
    /// - Parameter repairing: Whether damaged entries are deleted.
    /// - Returns: The names of the damaged entries, the least recently used first.
    func verify(repairing: Bool) -> [String] {
        entries.map(\.name).filter { name in
            guard isDamaged(name) else { return false }
            if repairing {
                discard(name) { isDamaged(name) }
            }
            return true
        }
    }

    /// Whether a file is missing or its bytes have changed.
    private func isDamaged(_ name: String) -> Bool {
        guard let entry = state.withLock({ $0.index[name] }) else { return false }
        if isIntact(entry) { return false }
        // The entry may have been stored again between the two checks; then check the new one.
        freshen()
        guard let now = state.withLock({ $0.index[name] }), now != entry else { return true }
        return !isIntact(now)
    }

    private func isIntact(_ entry: DiskEntry) -> Bool {
        // An unreadable file is not intact; reading the entry reports the error.
        guard let bytes = try? files.read(folder.path(of: entry.name), expecting: entry.size) else {
            return false
        }
        return bytes.count == entry.size && entry.checksum == Checksum.of(bytes)
    }
}

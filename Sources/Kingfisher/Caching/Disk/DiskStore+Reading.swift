import Foundation
import SystemPackage

extension DiskStore {
    /// Returns the bytes of a valid entry, verified against its checksum.
    ///
    /// Changed bytes count as damaged: the file is deleted and the result is `nil`. A miss does not
    /// access the disk. An expired entry is a miss and stays until the next cleaning; so does one
    /// with another division. `known` is the entry as it was found before.
    func contents(
        named name: String,
        _ division: KeyDivision = .any,
        extending: ExpirationExtending = .cacheTime,
        known: DiskEntry? = nil
    ) throws(DiskError) -> DiskContents? {
        let now = clock.now()
        // The index is used as it is, whatever other processes did since. If the file is missing or
        // has other bytes, follow the log and try again.
        if let known = known ?? log[name], known.expiry > now, known.division.matches(division),
            let found = try contents(of: known, extending: extending, at: now)
        {
            return found
        }
        log.freshen()
        guard let entry = log[name], entry.division.matches(division) else {
            counts.add { $0.absences += 1 }
            return nil
        }
        guard entry.expiry > now else {
            counts.add { $0.staleReads += 1 }
            return nil
        }
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
            counts.add { $0.unreadable += 1 }
            throw .cannotRead(path: folder.path(of: entry.name), key: entry.key, error)
        }
        guard bytes.count == entry.size, entry.checksum == Checksum.of(bytes),
            let data = opened(bytes, of: entry)
        else { return nil }
        noteRead(of: entry, extending: extending, at: now)
        let metadata = metadata(of: entry.name, checksum: entry.checksum)
        return DiskContents(data: data, metadata: metadata)
    }

    private func opened(_ bytes: Data, of entry: DiskEntry) -> Data? {
        guard let transformer = options.transformer else { return bytes }
        // By contract, bytes that the transformer cannot open are damaged.
        return try? transformer.open(bytes, name: entry.name)
    }

    private func noteRead(
        of entry: DiskEntry,
        extending: ExpirationExtending,
        at now: TimeInterval
    ) {
        counts.add { $0.hits += 1 }
        if case .none = extending { return }
        let isFlushDue = log.use(entry.name, at: now) { known in
            // Stored again meanwhile: the access refers to the previous file.
            guard known.modified == entry.modified, known.checksum == entry.checksum,
                known.size == entry.size
            else { return false }
            known.extend(extending, at: now)
            return true
        }
        if isFlushDue { log.flushIfNobodyWrites() }
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
            guard let entry = log[name], entry.division.matches(division) else { return false }
            do throws(DiskError) {
                found = try contents(of: entry, extending: extending, at: now)
            } catch {
                // Unreadable now: that is no reason to delete it.
                return false
            }
            return found == nil
        }
        if found == nil { counts.add { $0.damagedReads += 1 } }
        return found
    }

    /// Deletes an entry under the writers' lock, if it is still damaged then.
    func discard(_ name: String, if isDamaged: () -> Bool) {
        do throws(DiskError) {
            try log.changing { access throws(DiskError) in
                guard isDamaged() else { return }
                let isKnown = log.withIndex { $0.contains(name) }
                guard isKnown, try delete([name], access).removed == [name] else { return }
                counts.add { $0.damaged += 1 }
            }
        } catch {
            // In a read-only folder the damaged file stays; it is not used again, because its
            // checksum will not match.
            log.forget(name)
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
        guard let entry = log[name] else { return false }
        if isIntact(entry) { return false }
        // The entry may have been stored again between the two checks; then check the new one.
        log.freshen()
        guard let now = log[name], now != entry else { return true }
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

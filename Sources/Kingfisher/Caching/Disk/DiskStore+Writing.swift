import Foundation
import Synchronization
import SystemPackage

extension DiskStore {
    /// Stores bytes under a name, replacing an earlier entry.
    ///
    /// When it returns, all threads and processes find the entry, and a crash of the process loses
    /// none of it. If it throws, the earlier entry is unchanged, unless the new one was written and
    /// the folder could not be synced. Trims when the size passes the limit. Unless it is
    /// `replacing`, a valid entry of the name is an error. The metadata is committed with the bytes.
    ///
    /// - Complexity: O(bytes) and ten system calls, whatever the number of entries.
    func store(
        _ data: Data,
        named name: String,
        key: String,
        division: KeyDivision = .atFirst,
        expiration: StorageExpiration,
        replacing: Bool = true,
        metadata: EntryMetadata? = nil
    ) throws(DiskError) {
        let now = clock.now()
        guard !expiration.isAlreadyExpired(at: now) else { return }
        try validate(name, key: key)
        let bytes = try seal(data, name: name, key: key)
        let limit = sizeLimit
        guard limit == 0 || bytes.count <= limit else {
            throw .tooLarge(key: key, size: bytes.count, limit: limit)
        }
        let entry = DiskEntry(
            name: name,
            key: key,
            size: bytes.count,
            checksum: Checksum.of(bytes),
            modified: 0,
            access: now,
            expiry: expiration.expiry(from: now),
            lifetime: expiration.length(from: now),
            division: division
        )
        try log.prepare()
        do throws(DiskError) {
            try write(bytes, as: entry, metadata, replacing: replacing)
        } catch .cannotWrite(_, _, .noSuchFileOrDirectory) {
            // Retry in a new folder, or in the one that has replaced ours.
            try log.prepare(again: true)
            try write(bytes, as: entry, metadata, replacing: replacing)
        }
        trimIfNeeded(sparing: name)
    }

    private func validate(_ name: String, key: String) throws(DiskError) {
        guard FileNaming.isEntryName(name) else { throw .invalidName(name, key: key) }
        guard key.utf8.count < LogRecord.maximalBodySize - EntryMetadata.maximalSize - 1_024 else {
            throw .cannotWrite(path: folder.path(of: name), key: key, .fileNameTooLong)
        }
    }

    private func seal(_ data: Data, name: String, key: String) throws(DiskError) -> Data {
        guard let transformer = options.transformer else { return data }
        do {
            return try transformer.seal(data, name: name)
        } catch {
            throw .cannotTransform(key: key, detail: "\(error)")
        }
    }

    /// The bytes of a new entry, written but not yet under its name.
    enum Written {
        /// Under the temporary name of a number, and locked while the file is open.
        case temporary(OpenFile)
        /// A process that dies leaves no file, and a new entry needs one name less in the folder,
        /// which saves an eighth of a store.
        case unnamed(OpenFile)
        /// The file with the name has these bytes already.
        case inPlace
    }

    private func write(
        _ bytes: Data,
        as entry: DiskEntry,
        _ metadata: EntryMetadata?,
        replacing: Bool
    ) throws(DiskError) {
        let equal = equalFile(bytes, of: entry)
        if let equal, try share(equal, as: entry, metadata, replacing: replacing) { return }
        guard usesUnnamedFiles.load(ordering: .relaxed) else {
            return try write(bytes, as: entry, metadata, replacing: replacing, unnamed: false)
        }
        do throws(DiskError) {
            try write(
                bytes,
                as: entry,
                metadata,
                replacing: replacing,
                unnamed: true,
                mayShare: equal == nil
            )
        } catch .cannotWrite(_, _, let error) where Errno.noUnnamedFiles.contains(error) {
            usesUnnamedFiles.store(false, ordering: .relaxed)
            try write(bytes, as: entry, metadata, replacing: replacing, unnamed: false)
        }
    }

    /// Stores an entry as a further name of a file; returns whether the file can have the name.
    private func share(
        _ file: OpenFile,
        as entry: DiskEntry,
        _ metadata: EntryMetadata?,
        replacing: Bool
    ) throws(DiskError) -> Bool {
        let number = folder.makeTemporaryNumber()
        let leavesTemporary = try log.changing { turn throws(DiskError) in
            if !replacing { try requireNone(entry) }
            return share(file, as: entry, metadata, number, turn)
        }
        // The next process that opens the folder deletes what remains.
        if leavesTemporary != false { try? files.remove(folder.temporaryPath(number)) }
        return leavesTemporary != nil
    }

    private func write(
        _ bytes: Data,
        as entry: DiskEntry,
        _ metadata: EntryMetadata?,
        replacing: Bool,
        unnamed: Bool,
        mayShare: Bool = false
    ) throws(DiskError) {
        var entry = entry
        let number = folder.makeTemporaryNumber()
        let temporary = folder.temporaryPath(number)
        let proof = FileProof(entry).bytes(for: entry.name)
        let written: Written
        do throws(Errno) {
            // Outside all locks, because this is the slow part.
            let (file, status) =
                try unnamed
                ? files.write(bytes, proof: proof, toUnnamedIn: folder.path, synced: syncs)
                : files.write(bytes, proof: proof, toNew: temporary, synced: syncs)
            written = unnamed ? .unnamed(file) : .temporary(file)
            entry.modified = status.modified
        } catch {
            throw .cannotWrite(path: folder.path(of: entry.name), key: entry.key, error)
        }
        let leavesTemporary: Bool
        do throws(DiskError) {
            leavesTemporary = try log.changing { turn throws(DiskError) in
                if !replacing { try requireNone(entry) }
                if case .unnamed(let new) = written {
                    // Stored by another thread or process meanwhile.
                    if mayShare, let file = equalFile(bytes, of: entry),
                        let leaves = share(file, as: entry, metadata, number, turn)
                    {
                        return leaves
                    }
                    distinguish(&entry, new)
                }
                return try commit(entry, metadata, written, as: number, turn)
            }
        } catch {
            // A temporary file; the next process that opens the folder deletes it.
            try? files.remove(temporary)
            throw error
        }
        // As above; the temporary name now belongs to the previous file.
        if leavesTemporary { try? files.remove(temporary) }
    }

    private func requireNone(_ entry: DiskEntry) throws(DiskError) {
        // The new entry's access is now.
        guard let old = log[entry.name], old.expiry > entry.access else { return }
        throw .cannotWrite(path: folder.path(of: entry.name), key: entry.key, .fileExists)
    }

    /// Announces the file in the log, and gives it its final name.
    ///
    /// - Returns: Whether a previous file had the name; it now has the temporary one.
    func commit(
        _ entry: DiskEntry,
        _ metadata: EntryMetadata?,
        _ written: Written,
        as number: UInt64,
        _ turn: DiskLog.Turn
    ) throws(DiskError) -> Bool {
        let path = folder.path(of: entry.name)
        var isInPlace = false
        if case .inPlace = written { isInPlace = true }
        let record = LogRecord.stored(
            entry,
            temporary: isInPlace ? 0 : number,
            metadata: sealed(metadata, name: entry.name)
        )
        let isKnown = !isInPlace && log.withIndex { $0.contains(entry.name) }
        var replaced = false
        do throws(Errno) {
            let temporary = folder.temporaryPath(number)
            var unnamed: OpenFile?
            if case .unnamed(let file) = written {
                // The announcement of a file that replaces another one can be completed only if the
                // file has a name.
                if isKnown { try files.link(file, to: temporary) } else { unnamed = file }
            }
            try turn.announce(record) { () throws(Errno) in
                replaced = isKnown && exchange(temporary, path)
                if let unnamed {
                    try link(unnamed, to: path, by: temporary)
                } else if !replaced, !isInPlace {
                    try files.rename(temporary, to: path)
                }
            }
            if syncs { try files.sync(directory: folder.path) }
        } catch {
            throw .cannotWrite(path: path, key: entry.key, error)
        }
        counts.add { $0.stores += 1 }
        metadata?.wasWritten(with: entry.checksum)
        return replaced
    }

    /// Gives an unnamed file the name of its entry; replaces a file without an entry.
    private func link(
        _ file: OpenFile,
        to path: String,
        by temporary: String
    ) throws(Errno) {
        do throws(Errno) {
            try files.link(file, to: path)
        } catch .fileExists {
            try files.link(file, to: temporary)
            try files.rename(temporary, to: path)
        }
    }

    /// Swaps the names of a new file and the existing one; false on failure.
    ///
    /// ext4 flushes a file that is renamed over another one, to help programs that do not verify
    /// files after a power failure. That takes longer than the rest of a store and is not needed
    /// here, because of the checksum.
    private func exchange(_ temporary: String, _ path: String) -> Bool {
        do throws(Errno) {
            try files.exchange(temporary, with: path)
            return true
        } catch {
            // There is no such file, or the file system cannot swap; other errors occur again when
            // renaming.
            return false
        }
    }
}

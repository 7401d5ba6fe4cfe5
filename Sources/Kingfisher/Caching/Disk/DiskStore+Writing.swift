import Foundation
import SystemPackage

extension DiskStore {
    /// Stores bytes under a name, replacing an earlier entry.
    ///
    /// When it returns, all threads and processes find the entry, and a crash of the process loses
    /// none of it. If it throws, the earlier entry is unchanged, unless the new one was written and
    /// the folder could not be synced. Trims when the size passes the limit, or the disk is full.
    /// Unless it is `replacing`, a valid entry of the name is an error. The metadata is committed with the bytes.
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
            metadata: LogPlace(),
            division: division
        )
        let new = EntryWriter.NewEntry(
            bytes: bytes,
            entry: entry,
            number: folder.makeTemporaryNumber(),
            metadata: sealed(metadata, name: name),
            replaces: replacing
        )
        try log.prepare()
        do throws(DiskError) {
            try write(new)
        } catch {
            // Retried once: other programs may fill the disk faster than this store makes room.
            guard error.isFullDisk, makeRoom(for: bytes.count, sparing: name) else { throw error }
            try write(new)
        }
        metadata?.wasWritten(with: entry.checksum)
        trimIfNeeded(sparing: name)
    }

    private func write(_ new: EntryWriter.NewEntry) throws(DiskError) {
        do throws(DiskError) {
            try writer.write(new)
        } catch .cannotWrite(_, _, .noSuchFileOrDirectory) {
            // Retry in a new folder, or in the one that has replaced ours.
            try log.prepare(again: true)
            try writer.write(new)
        }
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
}

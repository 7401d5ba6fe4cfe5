import Foundation
import Synchronization
import SystemPackage

/// The metadata of entries.
///
/// The log contains it in the record that announces the file, so that bytes and metadata are
/// committed together; changed metadata has its own record. The index stores the place of the
/// record, which takes 8 bytes per entry instead of about 500. When the record is read, it must
/// have the entry's name and checksum.
extension DiskStore {
    /// The metadata of an entry's bytes; nil if there is none, or if the bytes were replaced.
    func metadata(of name: String, checksum: UInt64) -> EntryMetadata? {
        let (entry, log) = state.withLock { ($0.index[name], $0.log) }
        guard let entry, entry.checksum == checksum, let log,
            let sealed = sealedMetadata(of: entry, in: log)
        else { return nil }
        guard let transformer = options.transformer else {
            return EntryMetadata(sealed, of: checksum)
        }
        // Metadata that cannot be decrypted is lost; the bytes remain usable.
        return (try? transformer.open(sealed, name: Self.metadataName(name))).map {
            EntryMetadata($0, of: checksum)
        }
    }

    /// The metadata of the current entry of a name.
    func metadata(of name: String, _ division: KeyDivision = .any) -> EntryMetadata? {
        freshen()
        let entry = state.withLock { $0.index[name] }
        guard let entry, entry.division.matches(division), entry.metadata.count > 0 else {
            return nil
        }
        return metadata(of: name, checksum: entry.checksum)
    }

    /// The metadata as stored in the log.
    func sealedMetadata(of entry: DiskEntry, in log: OpenFile) -> Data? {
        guard entry.metadata.count > 0 else { return nil }
        // At least the size of any record with the metadata.
        let size = LogRecord.size(of: entry) + Int(entry.metadata.count)
        guard let bytes = try? files.read(log, from: Int(entry.metadata.start), count: size),
            let record = LogReader.firstRecord(in: bytes)
        else { return nil }
        let found: Data
        switch record {
        case .stored(let stored, _, let metadata)
        where stored.name == entry.name && stored.checksum == entry.checksum:
            found = metadata
        case .described(entry.name, entry.checksum, let metadata): found = metadata
        default: return nil
        }
        // The size must match, because the index computes the size of a new log from it.
        return found.count == Int(entry.metadata.count) ? found : nil
    }

    /// The metadata as stored in the log; empty if there is none or it is too large.
    func sealed(_ metadata: EntryMetadata?, name: String) -> Data {
        guard let bytes = metadata?.bytes, !bytes.isEmpty else { return Data() }
        var sealed = bytes
        if let transformer = options.transformer {
            // Without metadata the server is asked again, which is better than losing the bytes.
            sealed = (try? transformer.seal(bytes, name: Self.metadataName(name))) ?? Data()
        }
        return sealed.count <= EntryMetadata.maximalSize ? sealed : Data()
    }

    /// A different name, so that metadata and bytes of an entry cannot be swapped.
    private static func metadataName(_ name: String) -> String { "\(name)/metadata" }

    /// Writes changed metadata, if the entry still has the bytes it belongs to.
    func describe(_ name: String, by metadata: EntryMetadata) throws(DiskError) {
        guard let checksum = metadata.checksum else { return }
        try prepare()
        let sealed = sealed(metadata, name: name)
        try changing { log throws(DiskError) in
            let isCurrent = state.withLock { $0.index[name]?.checksum == checksum }
            guard isCurrent else { return }
            let record = LogRecord.described(name, checksum: checksum, metadata: sealed)
            try note(record, in: log)
        }
    }

    // MARK: Absences

    /// Removes an entry, and records why it has none.
    ///
    /// If the folder is not writable, the reason is kept in memory until the store is closed.
    func remove(_ name: String, noting absence: DiskAbsence) throws(DiskError) {
        guard FileNaming.isEntryName(name) else { throw .invalidName(name, key: name) }
        guard absence.metadata.count <= EntryMetadata.maximalSize else { return try remove(name) }
        do throws(DiskError) {
            try prepare()
            try changing { log throws(DiskError) in
                if state.withLock({ $0.index.contains(name) }) {
                    let cleaning = try delete([name], log: log)
                    if let failure = cleaning.failures.first { throw failure }
                    state.withLock { $0.statistics.removals += 1 }
                }
                try note(.absent(name, absence), in: log)
            }
        } catch {
            state.withLock { state in
                if !state.index.contains(name) { state.index.note(absence, of: name) }
            }
            throw error
        }
    }

    /// The reason why a name has no entry; nil if it is unknown, or if there is one.
    func absence(of name: String) -> Data? {
        freshen()
        let now = clock.now()
        return state.withLock { state in
            state.index.absences[ByteText(name)].flatMap { $0.expiry > now ? $0.metadata : nil }
        }
    }

    /// Appends a record and applies it to the index.
    func note(_ record: LogRecord, in log: OpenFile) throws(DiskError) {
        do throws(Errno) {
            try append([record], to: log)
        } catch {
            throw .cannotWriteIndex(path: folder.log, error)
        }
        state.withLock { $0.index.apply(record, at: $0.position - record.size) }
    }
}

import Foundation

/// The metadata of entries.
///
/// The log contains it in the record that announces the file, so that bytes and metadata are
/// committed together; changed metadata has its own record. The index stores the place of the
/// record, which takes 8 bytes per entry instead of about 500. When the record is read, it must
/// have the entry's name and checksum.
extension DiskStore {
    /// The metadata of an entry's bytes; nil if there is none, or if the bytes were replaced.
    func metadata(of name: String, checksum: UInt64) -> EntryMetadata? {
        guard let sealed = log.metadata(of: name, checksum: checksum) else { return nil }
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
        log.freshen()
        guard let entry = log[name], entry.division.matches(division) else { return nil }
        return metadata(of: name, checksum: entry.checksum)
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
        try log.prepare()
        let sealed = sealed(metadata, name: name)
        try log.changing { access throws(DiskError) in
            guard log[name]?.checksum == checksum else { return }
            try access.note(.described(name, checksum: checksum, metadata: sealed))
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
            try log.prepare()
            try log.changing { access throws(DiskError) in
                if log.withIndex({ $0.contains(name) }) { try remove(name, access) }
                try access.note(.absent(name, absence))
            }
        } catch {
            log.note(absence, of: name)
            throw error
        }
    }

    /// The reason why a name has no entry; nil if it is unknown, or if there is one.
    func absence(of name: String) -> Data? {
        log.freshen()
        let now = clock.now()
        let absence = log.withIndex { $0.absences[name] }
        return absence.flatMap { $0.expiry > now ? $0.metadata : nil }
    }
}

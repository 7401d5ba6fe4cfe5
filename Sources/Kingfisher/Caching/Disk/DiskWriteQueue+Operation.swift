extension DiskWriteQueue {
    /// A change of an entry.
    struct Operation: Sendable {
        enum Change: Sendable {
            case store(
                Bytes,
                key: String,
                division: KeyDivision,
                expiration: StorageExpiration,
                replacing: Bool,
                metadata: EntryMetadata? = nil
            )
            case removal
            /// A removal with a reason to record.
            case absence(DiskAbsence)
            /// Changed metadata of bytes that were read or stored before.
            case description(EntryMetadata)
        }

        /// What the removal of all entries is for each name.
        static let removal = Operation(change: .removal, completion: { _ in })

        let change: Change
        let completion: Completion

        /// Whether it replaces an existing entry.
        var replaces: Bool {
            if case .store(_, _, _, _, let replacing, _) = change { replacing } else { true }
        }

        /// Whether there is no entry afterwards.
        var removes: Bool {
            switch change {
            case .removal, .absence: true
            case .store, .description: false
            }
        }

        /// The changed metadata of bytes that stay; nil for a change of bytes.
        var description: EntryMetadata? {
            if case .description(let metadata) = change { metadata } else { nil }
        }

        var byteCount: Int {
            if case .store(let bytes, _, _, _, _, _) = change { bytes.count } else { 0 }
        }
    }
}

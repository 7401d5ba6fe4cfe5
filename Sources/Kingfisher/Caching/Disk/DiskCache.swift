import Foundation
import Synchronization

/// The owner of a folder in this process: its entries and its pending changes.
///
/// All caches of the folder share it. Changes of a name are made in order, whichever cache requests
/// them, and reads see pending changes.
final class DiskCache: Sendable {
    private static let owners = FolderOwners<DiskCache>()

    let store: DiskStore
    let queue: DiskWriteQueue

    init(store: DiskStore) {
        self.store = store
        queue = DiskWriteQueue(store: store)
    }

    /// Returns the cache of a folder; the first caller determines its options.
    static func shared(
        at directory: URL,
        make: @Sendable (String) -> DiskStore = { DiskStore(directory: $0) }
    ) -> DiskCache {
        owners.owner(of: directory) { DiskCache(store: make($0)) }
    }

    /// Returns the bytes of an entry that was found; nil if it is gone by now.
    func read(
        _ handle: DiskHandle,
        extending: ExpirationExtending
    ) throws(DiskError) -> DiskContents? {
        try read(handle.name, handle.division, extending: extending, known: handle.known)
    }

    /// Returns the bytes of an entry, on disk or pending; nil for a miss.
    ///
    /// The division is that of the entry's key; an entry with another one is a miss here and below.
    func read(
        _ name: String,
        _ division: KeyDivision,
        extending: ExpirationExtending,
        known: DiskEntry? = nil
    ) throws(DiskError) -> DiskContents? {
        switch queue.pending(name) {
        case .bytes(let bytes, let metadata, let stored):
            guard stored.matches(division) else { return nil }
            // Bytes that cannot be produced do not replace the entry.
            if let data = bytes.data { return DiskContents(data: data, metadata: metadata) }
        case .removal: return nil
        case nil: break
        }
        // A folder that cannot be opened has nothing; stores report why.
        guard (try? store.prepare()) != nil,
            let stored = try store.contents(
                named: name,
                division,
                extending: extending,
                known: known
            )
        else { return nil }
        return DiskContents(data: stored.data, metadata: current(stored.metadata, of: name))
    }

    /// The metadata of an entry, on disk or pending; nil if there is none.
    func metadata(of name: String, _ division: KeyDivision) -> EntryMetadata? {
        switch queue.pending(name) {
        case .bytes(_, let metadata, let stored): stored.matches(division) ? metadata : nil
        case .removal: nil
        case nil: current(store.metadata(of: name, division), of: name)
        }
    }

    /// The metadata of bytes on disk, or that which waits to replace it.
    private func current(_ metadata: EntryMetadata?, of name: String) -> EntryMetadata? {
        guard let metadata, let checksum = metadata.checksum else { return metadata }
        return queue.pendingMetadata(of: name, checksum: checksum) ?? metadata
    }

    /// The metadata of the record that a name has no entry; nil if it has one, or nothing is known.
    ///
    /// The record may refer to an entry with another division; its reader cannot decrypt it then.
    func absence(of name: String) -> Data? {
        switch queue.pending(name) {
        case .bytes: nil
        case .removal(let absence): absence?.metadata
        case nil: store.absence(of: name)
        }
    }

    /// Looks for a valid entry, on disk or pending.
    func ask(_ name: String, _ division: KeyDivision, effort: DiskEffort = .index) -> DiskAnswer {
        Counters.probes.add()
        return switch queue.pending(name) {
        case .bytes(_, _, let stored) where stored.matches(division):
            .entry(DiskHandle(name: name, division: division, known: nil))
        case .bytes, .removal: .absent
        case nil: store.ask(name, division, effort: effort)
        }
    }
}

/// Objects that own a folder; one per folder and process.
struct FolderOwners<Owner: AnyObject & Sendable>: ~Copyable, Sendable {
    private struct Reference {
        weak var owner: Owner?
    }

    private let owners = Mutex<[ByteText: Reference]>([:])

    /// Returns the owner of a folder; the first caller determines its options.
    ///
    /// `make` receives the path of the folder, with links resolved as far as it exists. The owner
    /// is released with its last reference.
    func owner(of directory: URL, make: @Sendable (String) -> Owner) -> Owner {
        let path = ByteText(directory.standardizedFileURL.resolvingSymlinksInPath().path)
        return owners.withLock { owners in
            if let owner = owners[path]?.owner { return owner }
            let owner = make(path.string)
            owners = owners.filter { $0.value.owner != nil }
            owners[path] = Reference(owner: owner)
            return owner
        }
    }
}

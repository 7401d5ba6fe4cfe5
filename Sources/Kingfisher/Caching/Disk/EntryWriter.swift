import Foundation
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes the files of entries, one file for entries with the same bytes.
///
/// Each entry is a name of the file (a hard link), so the kernel counts the names, removing one
/// keeps the others, and a crash can leave no wrong count. The index already has the checksum of
/// every file. It selects the only candidate, whose bytes are then compared, so that different
/// bytes with the same checksum are never mistaken for each other. A store that shares nothing pays
/// for one search in memory.
///
/// A file has one ``FileProof``: that of its name, or one of any name once it has several. If the
/// log is lost, all names are found again.
final class EntryWriter: Sendable {
    /// An entry to write.
    struct NewEntry {
        let bytes: Data
        var entry: DiskEntry
        /// The number of a temporary name.
        let number: UInt64
        /// As it is written to the log.
        let metadata: Data
        /// Whether a valid entry of the name is replaced; otherwise it is an error.
        let replaces: Bool
    }

    /// The bytes of a new entry, written but not yet under its name.
    private enum Written {
        /// Under the temporary name of a number, and locked while the file is open.
        case temporary(OpenFile)
        /// A process that dies leaves no file, and a new entry needs one name less in the folder,
        /// which saves an eighth of a store.
        case unnamed(OpenFile)
        /// The file with the name has these bytes already.
        case inPlace
    }

    /// The bytes that are compared at once.
    private static let partSize = 256 << 10

    private let folder: DiskFolder
    private let log: DiskLog
    private let counts: DiskCounts
    private let isEncrypting: Bool
    private let isSharing = Atomic(true)
    private let isUnnamed = Atomic(true)

    init(in folder: DiskFolder, log: DiskLog, counts: DiskCounts, isEncrypting: Bool) {
        self.folder = folder
        self.log = log
        self.counts = counts
        self.isEncrypting = isEncrypting
    }

    private var files: any FileSystem { folder.files }

    /// Whether entries with the same bytes share one file.
    var sharesFiles: Bool {
        get { isSharing.load(ordering: .relaxed) }
        set { isSharing.store(newValue, ordering: .relaxed) }
    }

    /// Whether new entries are written to unnamed files; false once the file system refused.
    var usesUnnamedFiles: Bool { isUnnamed.load(ordering: .relaxed) }

    /// Writes the file of an entry, and commits the entry.
    func write(_ new: NewEntry) throws(DiskError) {
        let equal = equalFile(for: new)
        if let equal, try commit(new, { share(equal, as: new, $0) }) { return }
        if usesUnnamedFiles {
            do throws(DiskError) {
                return try write(new, unnamed: true, mayShare: equal == nil)
            } catch .cannotWrite(_, _, let error) where Errno.noUnnamedFiles.contains(error) {
                isUnnamed.store(false, ordering: .relaxed)
            }
        }
        try write(new, unnamed: false)
    }

    private func write(_ new: NewEntry, unnamed: Bool, mayShare: Bool = false) throws(DiskError) {
        var new = new
        let temporary = folder.temporaryPath(new.number)
        let proof = FileProof(new.entry).bytes(for: new.entry.name)
        let written: Written
        do throws(Errno) {
            // Outside all locks, because this is the slow part.
            let (file, status) =
                try unnamed
                ? files.write(new.bytes, proof: proof, toUnnamedIn: folder.path, synced: log.syncs)
                : files.write(new.bytes, proof: proof, toNew: temporary, synced: log.syncs)
            written = unnamed ? .unnamed(file) : .temporary(file)
            new.entry.modified = status.modified
        } catch {
            throw .cannotWrite(path: folder.path(of: new.entry.name), key: new.entry.key, error)
        }
        _ = try commit(new) { access throws(DiskError) -> Bool? in
            // Stored by another thread or process meanwhile.
            if mayShare, let equal = equalFile(for: new),
                let leavesTemporary = share(equal, as: new, access)
            {
                return leavesTemporary
            }
            if case .unnamed(let file) = written { distinguish(&new.entry, file) }
            return try place(written, as: new, access)
        }
    }

    /// Commits an entry, unless there is one that it must not replace.
    ///
    /// `body` returns whether a file has the temporary name now, or nil if the entry is not stored.
    ///
    /// - Returns: Whether the entry is stored.
    private func commit(
        _ new: NewEntry,
        _ body: (DiskLog.WriteAccess) throws(DiskError) -> Bool?
    ) throws(DiskError) -> Bool {
        var leavesTemporary: Bool?
        defer {
            // The next process that opens the folder deletes what remains.
            if leavesTemporary != false { try? files.remove(folder.temporaryPath(new.number)) }
        }
        leavesTemporary = try log.changing { access throws(DiskError) -> Bool? in
            // The new entry's access is now.
            if !new.replaces, let old = log[new.entry.name], old.expiry > new.entry.access {
                let path = folder.path(of: new.entry.name)
                throw .cannotWrite(path: path, key: new.entry.key, .fileExists)
            }
            return try body(access)
        }
        return leavesTemporary != nil
    }

    /// Announces an entry in the log, and gives its file the final name.
    ///
    /// - Returns: Whether a previous file had the name; it now has the temporary one.
    private func place(
        _ written: Written,
        as new: NewEntry,
        _ access: DiskLog.WriteAccess
    ) throws(DiskError) -> Bool {
        let entry = new.entry
        let (path, temporary) = (folder.path(of: entry.name), folder.temporaryPath(new.number))
        let isInPlace = if case .inPlace = written { true } else { false }
        let record = LogRecord.stored(
            entry,
            temporary: isInPlace ? 0 : new.number,
            metadata: new.metadata
        )
        let isKnown = !isInPlace && log.withIndex { $0.contains(entry.name) }
        var replaced = false
        do throws(Errno) {
            // The announcement of a file that replaces another one can be completed only if the file
            // has a name.
            if isKnown, case .unnamed(let file) = written { try files.link(file, to: temporary) }
            try access.announce(record) { () throws(Errno) in
                switch written {
                case .inPlace: break
                case .unnamed(let file) where !isKnown:
                    try link(file, to: path, by: temporary)
                case .unnamed, .temporary:
                    replaced = isKnown && exchange(temporary, path)
                    if !replaced { try files.rename(temporary, to: path) }
                }
            }
            if log.syncs { try files.sync(directory: folder.path) }
        } catch {
            throw .cannotWrite(path: path, key: entry.key, error)
        }
        counts.add { $0.stores += 1 }
        return replaced
    }

    /// Gives an unnamed file the name of its entry; replaces a file without an entry.
    private func link(_ file: OpenFile, to path: String, by temporary: String) throws(Errno) {
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
        // There is no such file, or the file system cannot swap; other errors occur again when
        // renaming.
        (try? files.exchange(temporary, with: path)) != nil
    }

    // MARK: Equal files

    /// Opens the file of another entry with the same bytes; nil if there is none.
    ///
    /// Reads the file only if its size and checksum match.
    private func equalFile(for new: NewEntry) -> OpenFile? {
        // Encrypted bytes are never the same. A file is linked as an unnamed one is.
        guard !isEncrypting, sharesFiles, usesUnnamedFiles else { return nil }
        let (checksum, size) = (new.entry.checksum, new.entry.size)
        // Without the file the entry gets one of its own. The proof has one division.
        guard let name = log.withIndex({ $0.name(withChecksum: checksum, size: size) }),
            log[name]?.division == new.entry.division,
            let file = try? files.open(folder.path(of: name), writable: false),
            (try? has(new.bytes, file)) == true
        else { return nil }
        // It may have been stored before stores waited for the medium.
        return log.syncs && (try? files.sync(file)) == nil ? nil : file
    }

    private func has(_ bytes: Data, _ file: OpenFile) throws(Errno) -> Bool {
        guard try files.status(of: file).size == bytes.count else { return false }
        var start = 0
        while start < bytes.count {
            let count = min(Self.partSize, bytes.count - start)
            let part = try files.read(file, from: start, count: count)
            let isEqual = bytes.withUnsafeBytes { bytes in
                part.withUnsafeBytes { part in
                    guard let mine = bytes.baseAddress, let other = part.baseAddress else {
                        return false
                    }
                    return part.count == count && memcmp(mine + start, other, count) == 0
                }
            }
            guard isEqual else { return false }
            start += count
        }
        return true
    }

    /// Stores an entry as a further name of a file.
    ///
    /// - Returns: Whether it is stored, and whether the previous file has the temporary name now;
    ///   nil if the file cannot get the name.
    private func share(_ file: OpenFile, as new: NewEntry, _ access: DiskLog.WriteAccess) -> Bool? {
        var new = new
        guard let status = try? files.status(of: file), status.size == new.entry.size,
            (1..<DiskFiles.maximalNames).contains(status.links)
        else { return nil }
        new.entry.modified = status.modified
        // There may be no file with the name.
        let there = try? files.status(of: folder.path(of: new.entry.name))
        let isInPlace = there?.identity == status.identity
        if !isInPlace, status.links == 1 {
            // Without it, a lost log means that the file keeps its first name only.
            try? files.setProof(FileProof(new.entry).bytes(for: FileProof.anyName), of: file)
        }
        // Whatever fails here, the entry can still have a file of its own.
        let leavesTemporary = try? place(isInPlace ? .inPlace : .unnamed(file), as: new, access)
        if leavesTemporary != nil { counts.add { $0.shared += 1 } }
        return leavesTemporary
    }

    /// Changes the modification time of a new file if its entry would count as one of another file.
    ///
    /// Only needed if different bytes with the same size and checksum are stored at the same moment.
    /// An attacker can make such bytes.
    private func distinguish(_ entry: inout DiskEntry, _ file: OpenFile) {
        // The index knows at most eight files with one checksum, so a free time is soon found.
        for _ in 0..<16 where log.withIndex({ $0.hasFile(of: entry) }) {
            // Two seconds are the coarsest unit of file systems. If setting the time fails, the file
            // is counted by the next process that opens the folder.
            try? files.setModified(file, to: entry.modified - 2_000_000_000)
            if let status = try? files.status(of: file) { entry.modified = status.modified }
        }
    }
}

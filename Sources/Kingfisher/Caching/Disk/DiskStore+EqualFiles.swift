import Foundation
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One file for entries with the same bytes.
///
/// Each entry is a name of the file (a hard link), so the kernel counts the names, removing one
/// keeps the others, and a crash can leave no wrong count. The index already has the checksum of
/// every file. It selects the only candidate, whose bytes are then compared, so that different
/// bytes with the same checksum are never mistaken for each other. A store that shares nothing pays
/// for one search in memory.
///
/// A file has one ``FileProof``, that of its first name. If the log is lost, the other names are
/// removed.
extension DiskStore {
    /// The bytes that are compared at once.
    private static let partSize = 256 << 10

    /// Opens the file of another entry with the same bytes; nil if there is none.
    ///
    /// Reads the file only if its size and checksum match.
    func equalFile(_ bytes: Data, of entry: DiskEntry) -> OpenFile? {
        // Encrypted bytes are never the same. A file is linked as an unnamed one is.
        guard options.transformer == nil, sharesFiles, usesUnnamedFiles.load(ordering: .relaxed)
        else { return nil }
        let name = log.withIndex { $0.name(withChecksum: entry.checksum, size: entry.size) }
        // Without the file the entry gets one of its own.
        guard let name, let file = try? files.open(folder.path(of: name), writable: false),
            (try? has(bytes, file)) == true
        else { return nil }
        guard syncs else { return file }
        // It may have been stored before stores waited for the medium.
        return (try? files.sync(file)) == nil ? nil : file
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
    func share(
        _ file: OpenFile,
        as entry: DiskEntry,
        _ metadata: EntryMetadata?,
        _ number: UInt64,
        _ turn: DiskLog.Turn
    ) -> Bool? {
        guard let status = try? files.status(of: file), status.size == entry.size,
            (1..<DiskFiles.maximalNames).contains(status.links)
        else { return nil }
        var entry = entry
        entry.modified = status.modified
        // There may be no file with the name.
        let there = try? files.status(of: folder.path(of: entry.name))
        let isInPlace = there?.identity == status.identity
        // Whatever fails here, the entry can still have a file of its own.
        let leavesTemporary = try? commit(
            entry,
            metadata,
            isInPlace ? .inPlace : .unnamed(file),
            as: number,
            turn
        )
        if leavesTemporary != nil { counts.add { $0.shared += 1 } }
        return leavesTemporary
    }

    /// Changes the modification time of a new file if its entry would count as one of another file.
    ///
    /// Only needed if different bytes with the same size and checksum are stored at the same moment.
    /// An attacker can make such bytes.
    func distinguish(_ entry: inout DiskEntry, _ file: OpenFile) {
        // The index knows at most eight files with one checksum, so a free time is soon found.
        for _ in 0..<16 where log.withIndex({ $0.hasFile(of: entry) }) {
            // Two seconds are the coarsest unit of file systems. If setting the time fails, the file
            // is counted by the next process that opens the folder.
            try? files.setModified(file, to: entry.modified - 2_000_000_000)
            if let status = try? files.status(of: file) { entry.modified = status.modified }
        }
    }
}

import Foundation
import Synchronization
import SystemPackage

/// Makes the index of a folder, and repairs the folder after crashes and foreign changes.
///
/// Files are changed only for callers that hold the lock of the log.
final class FolderRepair: Sendable {
    private let folder: DiskFolder
    private let clock: WallClock
    private let counts: DiskCounts
    private let sizeLeft = Atomic(0)

    init(of folder: DiskFolder, clock: WallClock, counts: DiskCounts) {
        self.folder = folder
        self.clock = clock
        self.counts = counts
    }

    private var files: any FileSystem { folder.files }

    // MARK: Announcements

    /// Completes the last announcements of the log, if they were not completed.
    ///
    /// - Returns: An announced entry whose file had no name when its process died.
    func finish(_ unfinished: LogReader.Unfinished) -> DiskEntry? {
        // A failure here is harmless: the step was done already, or the file's checksum will not
        // match, or the file stays without an entry and is found when the store is opened again.
        switch unfinished {
        case .nothing:
            return nil
        case .store(let entry, let temporary):
            return finishStore(of: entry, at: folder.temporaryPath(temporary))
        case .removals(let names):
            for name in names { try? files.remove(folder.path(of: name)) }
            return nil
        case .clearing:
            try? removeAllFiles()
            return nil
        }
    }

    /// Renames an announced file, or deletes the file that it has already replaced.
    private func finishStore(of entry: DiskEntry, at temporary: String) -> DiskEntry? {
        // Usually there is none, because the store was completed.
        guard let bytes = try? files.read(temporary, expecting: entry.size) else {
            return hasFile(entry) ? nil : entry
        }
        if bytes.count == entry.size, entry.checksum == Checksum.of(bytes) {
            try? files.rename(temporary, to: folder.path(of: entry.name))
        } else {
            try? files.remove(temporary)
        }
        return nil
    }

    private func hasFile(_ entry: DiskEntry) -> Bool {
        do throws(Errno) {
            _ = try files.status(of: folder.path(of: entry.name))
            return true
        } catch {
            // Reading the entry reports other errors.
            return error != .noSuchFileOrDirectory
        }
    }

    /// Removes the files of all entries, and files without an entry.
    func removeAllFiles() throws(DiskError) {
        let names: [String]
        do throws(Errno) {
            names = try files.names(in: folder.path) { !DiskFolder.isOwn($0) }
        } catch {
            throw .cannotList(path: folder.path, error)
        }
        var firstFailure: DiskError?
        for name in names {
            do throws(Errno) {
                try files.remove(folder.path(of: name))
            } catch .noSuchFileOrDirectory {
                continue
            } catch {
                firstFailure = firstFailure ?? .cannotRemove(path: folder.path(of: name), error)
            }
        }
        if let firstFailure { throw firstFailure }
    }
    // MARK: Index

    /// Makes the index of a log and of the files.
    ///
    /// - Returns: The index, the size of the log, and whether a new log has to be written.
    func index(
        of log: OpenFile?,
        isWritable: Bool
    ) throws(DiskError) -> (index: DiskIndex, position: Int, isObsolete: Bool) {
        var (index, reader) = (DiskIndex(), LogReader())
        // An unreadable log is treated as missing: the folder has the files.
        if let log, let read = LogReader.read(log, by: files, atMost: folder.logLimit) {
            (index, reader) = read
        }
        let isNew = reader.position == 0
        let isDamaged = !isNew && (reader.damagedBytes > 0 || reader.end < reader.position)
        // An entry without a file is dropped below.
        if isWritable { _ = finish(reader.unfinished) }
        try compare(&index, doubtsEntries: isDamaged, isWritable: isWritable)
        if isDamaged || isNew && index.count > 0 { counts.add { $0.rebuilds += 1 } }
        return (index, reader.position, isNew || isDamaged)
    }

    /// Removes entries without a file, and adds entries for files without one.
    ///
    /// Entries of a damaged log may be older than their files; entries that do not match their
    /// files are made again from them.
    private func compare(
        _ index: inout DiskIndex,
        doubtsEntries: Bool,
        isWritable: Bool
    ) throws(DiskError) {
        let names: [String]
        do throws(Errno) {
            names = try files.names(in: folder.path) { name in
                if DiskFolder.isOwn(name) { return folder.isTemporary(name) }
                // Other hidden files are foreign.
                return index.confirm(name) ? doubtsEntries : !name.startsWithBytes(of: ".")
            }
        } catch {
            throw .cannotList(path: folder.path, error)
        }
        removeAbandoned(names.filter(folder.isTemporary), mayRemove: isWritable)
        var found: [DiskEntry] = []
        for name in names where !folder.isTemporary(name) {
            let known = index[name]
            // A missing or inaccessible file is ignored.
            guard let status = try? files.status(of: folder.path(of: name)) else { continue }
            if let known, status.size == known.size, status.modified == known.modified { continue }
            if let entry = adopt(name, status, known) {
                found.append(entry)
                continue
            }
            index.remove(name)
            guard isWritable, known != nil || FileNaming.isHashed(name) else { continue }
            // The name is one of ours, but the bytes cannot be verified. A file that cannot be
            // deleted has no entry at least.
            try? files.remove(folder.path(of: name))
            counts.add { $0.damaged += 1 }
        }
        index.removeUnconfirmed()
        for entry in found.sorted(by: { $0.access < $1.access }) {
            index.put(entry, unwritten: .everything)
        }
        counts.add { $0.adopted += found.count }
        // In copies of folders that were made without links, each entry has a file of its own.
        index.separate { name, count in
            // Reading the entry reports a missing file.
            guard let status = try? files.status(of: folder.path(of: name)) else { return true }
            return status.links >= count
        }
    }

    /// Makes an entry for a file without one, if the file has a proof of its name, or of any name.
    ///
    /// The checksum of the proof is compared when the file is read.
    private func adopt(_ name: String, _ status: FileStatus, _ known: DiskEntry?) -> DiskEntry? {
        guard let bytes = try? files.proof(of: folder.path(of: name)),
            let proof = FileProof(bytes, name: name) ?? FileProof(bytes, name: FileProof.anyName)
        else { return nil }
        return proof.entry(name, key: known?.key ?? "", status, at: clock.now())
    }

    // MARK: Abandoned files

    /// The size of the temporary files that dead processes left and that cannot be removed.
    var abandonedSize: Int { sizeLeft.load(ordering: .relaxed) }

    /// Removes the temporary files of processes that died.
    ///
    /// Lists the folder.
    func removeAbandonedFiles() {
        // A folder that cannot be listed is reported when it is opened.
        let names = (try? files.names(in: folder.path, where: folder.isTemporary)) ?? []
        removeAbandoned(names, mayRemove: true)
    }

    /// Removes temporary files, and counts those that cannot be removed.
    private func removeAbandoned(_ names: [String], mayRemove: Bool) {
        let size = names.reduce(0) { $0 &+ self.size(leftBy: $1, mayRemove: mayRemove) }
        sizeLeft.store(size, ordering: .relaxed)
    }

    /// Removes a temporary file, unless a process writes to it and has locked it.
    ///
    /// - Returns: The size of the file if its process is dead and it cannot be removed, otherwise 0.
    private func size(leftBy name: String, mayRemove: Bool) -> Int {
        let path = folder.path(of: name)
        guard let file = try? files.open(path, writable: false),
            (try? files.lock(file, sharing: false, waiting: .zero)) != nil,
            let mine = try? files.status(of: file), let there = try? files.status(of: path),
            mine.identity == there.identity
        else { return 0 }
        // If it cannot be deleted, the next process tries.
        let isRemoved = mayRemove && (try? files.remove(path)) != nil
        return isRemoved ? 0 : mine.size
    }
}

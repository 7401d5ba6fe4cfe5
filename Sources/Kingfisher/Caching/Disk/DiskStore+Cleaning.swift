import Foundation
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The result of a cleaning.
struct DiskCleaning: Sendable, Equatable {
    /// The names of the removed files, in order.
    var removed: [String] = []
    /// The errors of files that could not be removed; cleaning continues after an error.
    var failures: [DiskError] = []

    mutating func add(_ other: DiskCleaning) {
        removed += other.removed
        failures += other.failures
    }
}

extension DiskStore {
    // Files deleted before the lock is released for other writers: about a millisecond of work.
    private static let batchSize = 64

    /// Removes an entry and its file.
    ///
    /// - Throws: ``DiskError/notFound(path:)`` if there is none.
    func remove(_ name: String) throws(DiskError) {
        try log.prepare()
        try log.changing { access throws(DiskError) in
            if log.withIndex({ $0.contains(name) }) { return try remove(name, access) }
            let isAbsent = log.withIndex { $0.absences[name] != nil }
            if isAbsent { try access.note(.removed(name)) }
            throw .notFound(path: folder.path(of: name))
        }
    }

    /// Removes an entry of the index and its file.
    func remove(_ name: String, _ access: DiskLog.WriteAccess) throws(DiskError) {
        if let failure = try delete([name], access).failures.first { throw failure }
        counts.add { $0.removals += 1 }
    }

    /// Removes all entries and all files, including files without an entry.
    func removeAll() throws(DiskError) {
        try log.prepare()
        try log.changing { access throws(DiskError) in
            let count = log.withIndex { $0.count }
            try access.note(.cleared)
            counts.add { $0.removals += count }
            repair.removeAbandonedFiles()
            try repair.removeAllFiles()
            access.rewriteLog()
        }
    }

    /// Removes the entries that have expired.
    ///
    /// - Complexity: O(entries) in memory; the disk is accessed for removed files only.
    func removeExpired() -> DiskCleaning {
        log.freshen()
        let now = clock.now()
        let names = log.withIndex { $0.namesExpired(at: now) }
        var cleaning = DiskCleaning()
        for start in stride(from: 0, to: names.count, by: Self.batchSize) {
            let batch = names[start..<min(start + Self.batchSize, names.count)]
            cleaning.add(
                clean { index in
                    // Some may have been stored or read again since they were listed.
                    batch.filter { name in index.expiry(of: name).map { $0 <= now } ?? false }
                }
            )
        }
        counts.add { $0.expired += cleaning.removed.count }
        lookForAbandonedFiles()
        return cleaning
    }

    /// Removes the least recently used entries until their total size is at most half the limit.
    ///
    /// No effect while the size is below the limit, or without a limit.
    ///
    /// - Complexity: O(removed).
    func trim() -> DiskCleaning {
        log.freshen()
        let limit = sizeLimit
        return limit > 0 && keptSize >= limit ? trim(downTo: limit / 2) : DiskCleaning()
    }

    /// Trims after a store that passed a limit; the new entry stays.
    func trimIfNeeded(sparing name: String) {
        let limit = sizeLimit
        // An entry that could not be deleted stays in the index, so the next store tries again.
        if limit > 0, keptSize > limit { _ = trim(downTo: limit / 2, sparing: name) }
        // A log may become twice as large, and a record more, before it is rewritten; one above its
        // limit is not read.
        let liveLimit = folder.logLimit / 16 * 7
        if log.withIndex({ $0.liveLogSize }) > liveLimit {
            _ = trim(logSize: liveLimit / 2, sparing: name)
        }
    }

    /// Removes a tenth of the entries' bytes, and at least `count`, because the disk is full.
    ///
    /// - Returns: Whether anything was removed.
    func makeRoom(for count: Int, sparing name: String) -> Bool {
        let size = keptSize
        let cleaning = remove(downTo: size - max(size / 10, count), sparing: name)
        counts.add { $0.displaced += cleaning.removed.count }
        return !cleaning.removed.isEmpty
    }

    private func trim(
        downTo size: Int = .max,
        logSize: Int = .max,
        sparing spared: String? = nil
    ) -> DiskCleaning {
        let cleaning = remove(downTo: size, logSize: logSize, sparing: spared)
        counts.add { $0.trimmed += cleaning.removed.count }
        return cleaning
    }

    private func remove(
        downTo size: Int,
        logSize: Int = .max,
        sparing spared: String?
    ) -> DiskCleaning {
        lookForAbandonedFiles()
        var cleaning = DiskCleaning()
        while true {
            let batch = clean { index in
                index.oldestNames(
                    downTo: size,
                    logSize: logSize,
                    besides: repair.abandonedSize,
                    sparing: spared,
                    atMost: Self.batchSize
                )
            }
            cleaning.add(batch)
            if batch.removed.isEmpty { break }
        }
        return cleaning
    }

    /// Removes the temporary files of processes that died, where writers give them names.
    ///
    /// Lists the folder then; elsewhere files without a name end with their processes.
    func lookForAbandonedFiles() {
        guard !writer.usesUnnamedFiles else { return }
        // The next call tries again.
        _ = try? log.changing { _ in repair.removeAbandonedFiles() }
    }

    private func clean(_ choose: (DiskIndex) -> [String]) -> DiskCleaning {
        do throws(DiskError) {
            return try log.changing { access throws(DiskError) in
                try delete(log.withIndex(choose), access)
            }
        } catch {
            return DiskCleaning(failures: [error])
        }
    }

    /// Deletes entries with their files.
    func delete(_ names: [String], _ access: DiskLog.WriteAccess) throws(DiskError) -> DiskCleaning
    {
        guard !names.isEmpty else { return DiskCleaning() }
        try announceRemovals(of: names, access)
        var cleaning = DiskCleaning()
        var kept: [LogRecord] = []
        for name in names {
            do throws(Errno) {
                try files.remove(folder.path(of: name))
            } catch .noSuchFileOrDirectory {
                // Deleted by another process.
            } catch {
                cleaning.failures.append(.cannotRemove(path: folder.path(of: name), error))
                if let entry = log[name] { kept.append(.stored(entry, temporary: 0)) }
                continue
            }
            cleaning.removed.append(name)
            log.forget(name)
        }
        // Without these records the files are treated as unknown when the store is opened again.
        if !kept.isEmpty { try? access.append(kept) }
        return cleaning
    }

    /// Appends the records of removals; on a full disk, files are removed first to make room for
    /// them.
    ///
    /// Without a record, the next reader of such an entry finds that its file is missing.
    private func announceRemovals(
        of names: [String],
        _ access: DiskLog.WriteAccess
    ) throws(DiskError) {
        let records = names.map { LogRecord.removed($0) }
        var rest = names[...]
        while true {
            do throws(DiskError) {
                return try access.append(records)
            } catch {
                guard error.isFullDisk, let name = rest.popFirst() else { throw error }
                // Reported when it is removed again.
                try? files.remove(folder.path(of: name))
            }
        }
    }
}

/// The default size limit of a disk cache.
enum DiskLimit {
    /// The limit for a folder.
    static func defaultBytes(directory: String) -> Int {
        freeBytes(directory).map(bytes(ofFree:)) ?? gigabyte
    }

    /// One gigabyte, or a twentieth of the free space if that is less; at least ten megabytes.
    ///
    /// A disk that is full now may have room later, and a limit of 0 would be none.
    static func bytes(ofFree free: Int) -> Int { max(gigabyte / 100, min(gigabyte, free / 20)) }

    private static let gigabyte = 1_000_000_000

    /// The free bytes on the disk of a folder, which need not exist yet.
    private static func freeBytes(_ directory: String) -> Int? {
        var path = directory
        var found = statvfs()
        while statvfs(path, &found) != 0 {
            // `deletingLastPathComponent` of Foundation stops the program for a single letter.
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), path != "/" else {
                return nil
            }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        let (bytes, isTooMany) = Int(clamping: found.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: found.f_frsize))
        return isTooMany ? .max : bytes
    }
}

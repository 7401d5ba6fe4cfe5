import Foundation
import Synchronization

/// The temporary files of processes that died.
extension DiskStore {
    /// Removes the temporary files of processes that died, where writers give them names.
    ///
    /// Lists the folder then; elsewhere files without a name end with their processes.
    func lookForAbandonedFiles() {
        guard !usesUnnamedFiles.load(ordering: .relaxed) else { return }
        // The next call tries again.
        _ = try? changing { _ in removeAbandonedFiles() }
    }

    /// Removes the temporary files of processes that died, for callers that hold the lock of the
    /// log.
    ///
    /// Lists the folder.
    func removeAbandonedFiles() {
        // A folder that cannot be listed is reported when it is opened.
        let names = (try? files.names(in: folder.path, where: folder.isTemporary)) ?? []
        removeAbandoned(names, mayRemove: true)
    }

    /// Removes temporary files, and counts those that cannot be removed.
    func removeAbandoned(_ names: [String], mayRemove: Bool) {
        let size = names.reduce(0) { $0 &+ sizeLeft(by: $1, mayRemove: mayRemove) }
        state.withLock { $0.abandonedSize = size }
    }

    /// Removes a temporary file, unless a process writes to it and has locked it.
    ///
    /// - Returns: The size of the file if its process is dead and it cannot be removed, otherwise 0.
    private func sizeLeft(by name: String, mayRemove: Bool) -> Int {
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

import Foundation
import Synchronization
import SystemPackage

extension DiskStore {
    /// Compares every file with what the index knows of it.
    ///
    /// Reads the whole cache; others may use it meanwhile.
    ///
    /// - Parameter repairing: Whether what is damaged is deleted.
    /// - Returns: The names of the damaged entries, the least recently used first.
    func verify(repairing: Bool) -> [String] {
        entries.map(\.name).filter { name in
            guard isDamaged(name) else { return false }
            if repairing {
                discard(name) { isDamaged(name) }
            }
            return true
        }
    }

    /// Whether a file is missing or has other bytes than were stored.
    private func isDamaged(_ name: String) -> Bool {
        guard let entry = state.withLock({ $0.index[name] }) else { return false }
        if isIntact(entry) { return false }
        // It may have been stored again between the two looks; then it is judged by the new entry.
        freshen()
        guard let now = state.withLock({ $0.index[name] }), now != entry else { return true }
        return !isIntact(now)
    }

    private func isIntact(_ entry: DiskEntry) -> Bool {
        // What cannot be read is not intact; the one who wants to know why reads it.
        guard let bytes = try? files.read(path(of: entry.name), expecting: entry.size) else {
            return false
        }
        return bytes.count == entry.size && entry.checksum == Checksum.of(bytes)
    }
}

import Foundation
import Synchronization
import SystemPackage

extension DiskStore {
    /// Compares all files with the index.
    ///
    /// Reads the whole cache, which remains usable meanwhile.
    ///
    /// - Parameter repairing: Whether damaged entries are deleted.
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

    /// Whether a file is missing or its bytes have changed.
    private func isDamaged(_ name: String) -> Bool {
        guard let entry = state.withLock({ $0.index[name] }) else { return false }
        if isIntact(entry) { return false }
        // The entry may have been stored again between the two checks; then check the new one.
        freshen()
        guard let now = state.withLock({ $0.index[name] }), now != entry else { return true }
        return !isIntact(now)
    }

    private func isIntact(_ entry: DiskEntry) -> Bool {
        // An unreadable file is not intact; reading the entry reports the error.
        guard let bytes = try? files.read(path(of: entry.name), expecting: entry.size) else {
            return false
        }
        return bytes.count == entry.size && entry.checksum == Checksum.of(bytes)
    }
}

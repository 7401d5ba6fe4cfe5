/// What the disk knows about an entry, without opening the folder.
enum DiskAnswer: Sendable {
    /// The folder has to be opened first, which takes long if it has many entries.
    case notOpen
    case absent
    case entry(DiskHandle)
}

/// An entry that was found, for reading it.
///
/// A class, because waiting loads retain it.
final class DiskHandle: Sendable {
    /// The file's name in the folder.
    let name: String
    /// The division of the requested key.
    let division: KeyDivision
    /// The entry in the index; nil if its bytes wait to be written.
    let known: DiskEntry?

    init(name: String, division: KeyDivision, known: DiskEntry?) {
        self.name = name
        self.division = division
        self.known = known
    }
}

extension DiskStore {
    /// Looks for a valid entry; does not count as an access.
    ///
    /// Opens nothing and waits for nothing: it can be called on any thread.
    func ask(_ name: String, _ division: KeyDivision) -> DiskAnswer {
        guard log.catchUp() else { return log.mayOpen ? .notOpen : .absent }
        return find(name, division).map { .entry($0) } ?? .absent
    }

    /// As above, in the index as it is.
    func find(_ name: String, _ division: KeyDivision) -> DiskHandle? {
        let now = clock.now()
        guard let entry = log[name], entry.expiry > now, entry.division.matches(division) else {
            return nil
        }
        return DiskHandle(name: name, division: division, known: entry)
    }
}

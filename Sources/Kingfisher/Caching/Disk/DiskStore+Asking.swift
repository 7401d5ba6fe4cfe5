import Foundation

/// What a question about an entry may do to find the answer.
enum DiskEffort: Comparable {
    /// Look into the index, which neither opens nor waits for anything.
    case index
    /// Open the folder before, which takes long if it has many entries.
    case folder
    /// Also look whether the file can be read.
    case file
}

/// The answer to the question whether the disk has a valid entry.
enum DiskAnswer: Sendable {
    /// The folder has to be opened first; only to questions about the index.
    case notOpen
    case absent
    /// The entry; a subclass of the cache has no handle of it.
    case entry(DiskHandle?)

    init(isThere: Bool) { self = isThere ? .entry(nil) : .absent }

    var isThere: Bool { if case .entry = self { true } else { false } }
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
    /// Looks for an entry that is valid now, or at the given time; does not count as an access.
    ///
    /// A folder that cannot be opened has no entries.
    func ask(
        _ name: String,
        _ division: KeyDivision = .any,
        effort: DiskEffort = .index,
        at time: TimeInterval? = nil
    ) -> DiskAnswer {
        if effort > .index {
            log.freshen()
        } else if !log.catchUp() {
            return log.mayOpen ? .notOpen : .absent
        }
        let time = time ?? clock.now()
        guard let entry = log[name], entry.expiry > time, entry.division.matches(division),
            effort < .file || access(folder.path(of: name), R_OK) == 0
        else { return .absent }
        return .entry(DiskHandle(name: name, division: division, known: entry))
    }
}

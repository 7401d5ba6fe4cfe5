import Foundation

@testable import Kingfisher

extension DiskStore {
    /// The bytes of an entry, whatever its division.
    func data(
        named name: String,
        extending: ExpirationExtending = .cacheTime
    ) throws(DiskError) -> Data? {
        try contents(named: name, extending: extending)?.data
    }
}

extension DiskStore {
    /// Whether an entry is valid now, or at the given time; opens the folder.
    func contains(_ name: String, at time: TimeInterval? = nil) -> Bool {
        ask(name, effort: .folder, at: time).isThere
    }
}

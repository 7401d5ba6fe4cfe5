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

import Foundation
import Synchronization

/// The objects that own something in folders, one per folder and process.
struct FolderOwners<Owner: AnyObject & Sendable>: ~Copyable, Sendable {
    private struct Reference {
        weak var owner: Owner?
    }

    private let owners = Mutex<[String: Reference]>([:])

    /// Returns the owner of a folder; the first caller decides about its options.
    ///
    /// `make` is given the folder's path, with links resolved as far as it exists. The owner lives
    /// as long as a caller holds it.
    func owner(of directory: URL, make: @Sendable (String) -> Owner) -> Owner {
        let path = directory.standardizedFileURL.resolvingSymlinksInPath().path
        return owners.withLock { owners in
            if let owner = owners[path]?.owner { return owner }
            let owner = make(path)
            owners = owners.filter { $0.value.owner != nil }
            owners[path] = Reference(owner: owner)
            return owner
        }
    }
}

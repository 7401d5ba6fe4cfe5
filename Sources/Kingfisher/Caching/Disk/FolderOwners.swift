import Foundation
import Synchronization

/// Objects that own a folder; one per folder and process.
struct FolderOwners<Owner: AnyObject & Sendable>: ~Copyable, Sendable {
    private struct Reference {
        weak var owner: Owner?
    }

    private let owners = Mutex<[String: Reference]>([:])

    /// Returns the owner of a folder; the first caller determines its options.
    ///
    /// `make` receives the path of the folder, with links resolved as far as it exists. The owner
    /// is released with its last reference.
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

import Foundation
import Synchronization

/// The disk stores that are in use in this process, one per folder.
///
/// Two caches on one folder share one index, instead of noticing each other's changes later.
enum DiskStoreRegistry {
    private struct Reference {
        weak var store: DiskStore?
    }

    private static let stores = Mutex<[String: Reference]>([:])

    /// Returns the store of a folder; the first one who asks decides about its options.
    ///
    /// `make` is given the folder's path, with links resolved as far as it exists. The store lives
    /// as long as somebody holds it.
    static func store(
        at directory: URL,
        make: @Sendable (String) -> DiskStore = { DiskStore(directory: $0) }
    ) -> DiskStore {
        let path = directory.standardizedFileURL.resolvingSymlinksInPath().path
        return stores.withLock { stores in
            if let store = stores[path]?.store { return store }
            let store = make(path)
            stores = stores.filter { $0.value.store != nil }
            stores[path] = Reference(store: store)
            return store
        }
    }
}

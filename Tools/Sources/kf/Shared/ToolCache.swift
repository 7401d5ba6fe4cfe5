import Foundation
import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The cache of the tool on disk.
enum ToolCache {
    /// The name that tells the tool's cache from those of apps in the same folder.
    static let name = "kf"

    /// Opens the cache, and makes sure that it can be written.
    ///
    /// The library takes a failed write lightly, since a picture that cannot be cached can still
    /// be shown. Somebody who names a folder wants to know.
    ///
    /// The cache's own folder is made inside `folder`, or in the user's caches when it is nil.
    static func open(folder: String?) throws -> ImageCache {
        let url = folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
        let cache = try ImageCache(name: name, cacheDirectoryURL: url, diskCachePathClosure: nil)
        var probe = Array(
            cache.diskStorage.directoryURL.appendingPathComponent(".probe.XXXXXX").path.utf8CString
        )
        let file = mkstemp(&probe)
        guard file >= 0 else {
            let path = cache.diskStorage.directoryURL.path
            throw Failure("cannot write to the cache \(path): \(String(cString: strerror(errno)))")
        }
        close(file)
        unlink(probe)
        return cache
    }
}

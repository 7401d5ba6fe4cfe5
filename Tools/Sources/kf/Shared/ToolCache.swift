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

    typealias Storage = DiskStorage.Backend<Data>

    /// Opens the disk layer of a cache that is there already.
    ///
    /// `folder` is where ``open(folder:)`` made one, or the folder of any cache; nil is the user's
    /// caches.
    ///
    /// - Throws: A ``Failure`` when there is none; nothing is made then.
    static func existing(folder: String?) throws -> Storage {
        let base = folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
        var config = DiskStorage.Config(name: name, sizeLimit: 0, directory: base)
        // The index, without which a folder is none of ours.
        let isCache = { (url: URL) in
            FileManager.default.fileExists(
                atPath: url.appendingPathComponent(".kingfisher.log").path
            )
        }
        if let base, isCache(base) {
            config.cachePathBlock = { _, _ in base }
            return try Storage(config: config)
        }
        let made = config.cachePathBlock(
            base ?? FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)[0],
            "com.onevcat.Kingfisher.ImageCache.\(name)"
        )
        guard isCache(made) else { throw Failure("there is no cache in \(folder ?? made.path)") }
        return try Storage(config: config)
    }

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

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

    /// Opens a cache for loads.
    ///
    /// A cache that cannot be written, because its file system is full or read-only, still gives
    /// the images that it has; a note on standard error says so.
    ///
    /// The cache's own folder is made inside a ``CacheChoice/folder(_:)``.
    ///
    /// - Throws: The library's error for a folder that can never be made, as when a file is in its
    ///   place.
    static func open(_ choice: CacheChoice) throws -> ImageCache {
        let folder: URL? =
            switch choice {
            case .none: nil
            case .users: nil
            case .folder(let path): URL(fileURLWithPath: path, isDirectory: true)
            }
        guard choice != .none else { return withoutDisk() }
        let cache: ImageCache
        do {
            cache = try ImageCache(
                name: name,
                cacheDirectoryURL: folder,
                diskCachePathClosure: nil
            )
        } catch KingfisherError.cacheError(.cannotCreateDirectory(let path, let error)) {
            guard let code = systemCode(of: error), ![ENOTDIR, EEXIST].contains(code) else {
                throw KingfisherError.cacheError(
                    reason: .cannotCreateDirectory(path: path, error: error)
                )
            }
            note("\(path) cannot be made", code, "loading without it")
            return withoutDisk()
        }
        let path = cache.diskStorage.directoryURL.path
        if let code = writeFailure(in: path) {
            note("\(path) cannot be written", code, "nothing new is kept")
        }
        return cache
    }

    /// A cache in memory alone.
    ///
    /// The library has none without a folder, and works in memory when it cannot use its folder. This
    /// is one that is on every Linux and takes no files.
    static func withoutDisk() -> ImageCache {
        let folder = URL(fileURLWithPath: "/proc/self/fdinfo", isDirectory: true)
        let cache = try? ImageCache(name: name, cacheDirectoryURL: nil) { _, _ in folder }
        // In a jail without /proc there is nothing better than the user's folder.
        return cache ?? ImageCache(name: name)
    }

    private static func note(_ what: String, _ code: Int32, _ consequence: String) {
        LibraryLog.shared.noteCache("\(what): \(String(cString: strerror(code))); \(consequence)")
    }

    /// Why no file can be made in a folder; nil if one can.
    private static func writeFailure(in folder: String) -> Int32? {
        var probe = Array((folder as NSString).appendingPathComponent(".probe.XXXXXX").utf8CString)
        let file = mkstemp(&probe)
        guard file >= 0 else { return errno }
        close(file)
        unlink(probe)
        return nil
    }

    /// The system's number for a reason of Foundation's.
    private static func systemCode(of error: any Error) -> Int32? {
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(truncatingIfNeeded: error.code) }
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error {
            return systemCode(of: cause)
        }
        let codes: [CocoaError.Code: Int32] = [
            .fileWriteNoPermission: EACCES, .fileWriteOutOfSpace: ENOSPC,
            .fileWriteVolumeReadOnly: EROFS,
        ]
        return codes[CocoaError.Code(rawValue: error.code)]
    }
}

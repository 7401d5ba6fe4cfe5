import Foundation
@_spi(Programs) import Kingfisher

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The tool's cache on disk.
enum ToolCache {
    /// The name that distinguishes the tool's cache from those of apps in the same folder.
    static let name = "kf"

    typealias Storage = DiskStorage.Backend<Data>

    /// Opens the disk layer of an existing cache.
    ///
    /// `folder` is a folder given to ``open(_:)``, or the folder of any cache; nil means the user's
    /// cache folder.
    ///
    /// - Throws: A ``Failure`` if there is no cache; nothing is created.
    static func existing(folder: String?) throws -> Storage {
        let base = folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
        var config = DiskStorage.Config(name: name, sizeLimit: 0, directory: base)
        // The library makes the index again if it is lost.
        let isCache = { (url: URL) in
            url.lastPathComponent.hasPrefix(folderPrefix) && isFolder(url)
                || [".kingfisher.log", ".kingfisher.lock"].contains {
                    FileManager.default.fileExists(atPath: url.appendingPathComponent($0).path)
                }
        }
        if let base, isCache(base) {
            config.cachePathBlock = { _, _ in base }
            return try Storage(config: config)
        }
        let made = config.cachePathBlock(base ?? CachesFolder.url, folderPrefix + name)
        guard isCache(made) else {
            let advice =
                folder == nil
                ? "kf get and kf prefetch make one" : "name the folder that was given to --cache"
            throw Failure("there is no cache in \(folder ?? made.path): \(advice)")
        }
        return try Storage(config: config)
    }

    /// The names of the folders that the library makes begin with this.
    private static let folderPrefix = "com.onevcat.Kingfisher.ImageCache."

    private static func isFolder(_ url: URL) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    /// Opens a cache for loads.
    ///
    /// A cache that cannot be written, because its file system is full or read-only, still serves
    /// its images; a note on standard error reports it.
    ///
    /// The cache creates its own folder inside a ``CacheChoice/folder(_:)``.
    ///
    /// - Throws: The library's error if the folder cannot be created, for example because a file is
    ///   in its place.
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
            note("\(path) cannot be created", code, "loading without it")
            return withoutDisk()
        }
        let path = cache.diskStorage.directoryURL.path
        if let code = writeFailure(in: path) {
            note("\(path) cannot be written", code, "new images are not cached")
        }
        return cache
    }

    /// A cache in memory only.
    ///
    /// The library requires a folder, but works in memory if the folder is unusable. This folder
    /// exists on every Linux and does not accept files.
    static func withoutDisk() -> ImageCache {
        let folder = URL(fileURLWithPath: "/proc/self/fdinfo", isDirectory: true)
        let cache = try? ImageCache(name: name, cacheDirectoryURL: nil) { _, _ in folder }
        // Where the folder is forbidden, the user's cache folder is the only alternative.
        return cache ?? ImageCache(name: name)
    }

    private static func note(_ what: String, _ code: Int32, _ consequence: String) {
        LibraryLog.shared.noteCache("\(what): \(String(cString: strerror(code))); \(consequence)")
    }

    /// The error number of creating a file in a folder; nil if it succeeds.
    private static func writeFailure(in folder: String) -> Int32? {
        var probe = Array((folder as NSString).appendingPathComponent(".probe.XXXXXX").utf8CString)
        let file = mkstemp(&probe)
        guard file >= 0 else { return errno }
        close(file)
        unlink(probe)
        return nil
    }

    /// The system's error number for an error of Foundation.
    private static func systemCode(of error: any Error) -> Int32? {
        if let code = SystemErrorText.code(of: error) { return code }
        let codes: [CocoaError.Code: Int32] = [
            .fileWriteNoPermission: EACCES, .fileWriteOutOfSpace: ENOSPC,
            .fileWriteVolumeReadOnly: EROFS,
        ]
        return codes[CocoaError.Code(rawValue: (error as NSError).code)]
    }
}

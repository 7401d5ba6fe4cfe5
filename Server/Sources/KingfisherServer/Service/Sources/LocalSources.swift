import CDispatch
import Dispatch
import Foundation
@_spi(Server) import Kingfisher
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ServiceConfiguration.Sources {
    /// The reader of local sources; nil if they are refused.
    ///
    /// - Throws: ``ConfigurationError`` if their folder does not exist.
    func localSources() throws(ConfigurationError) -> LocalSources? {
        guard let localRoot else { return nil }
        let size = maximalFileSize ?? 256 << 20
        if let local = LocalSources(root: localRoot, maximalSize: size) { return local }
        throw ConfigurationError(
            name: "IMGPROXY_LOCAL_FILESYSTEM_ROOT",
            expected: "a folder that exists",
            found: localRoot
        )
    }
}

/// Reads sources from a folder, and nothing outside of it.
struct LocalSources: Sendable {
    /// The folder, without symbolic links.
    private let root: String
    private let maximalSize: Int
    private let queue = DispatchQueue(label: "kf-serve.local", attributes: .concurrent)
    private let files = HeldFiles()

    /// Makes a reader; nil if the folder does not exist.
    init?(root: String, maximalSize: Int) {
        guard let path = realpath(root, nil) else { return nil }
        defer { free(path) }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        self.root = String(cString: path)
        self.maximalSize = maximalSize
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path below the folder.
    ///   - key: The name of the bytes; see ``SourceFile/key``.
    /// - Returns: The file.
    /// - Throws: ``ServiceError``.
    func file(at path: String, key: String) async throws -> SourceFile {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try read(path, key) }) }
        }
    }

    private func read(_ path: String, _ key: String) throws -> SourceFile {
        let missing = ServiceError(404, "The source was not found", "Check its path")
        guard !path.utf8.contains(0) else { throw missing }
        // Without blocking on a pipe.
        let file = open("\(root)/\(path)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw ServiceError(reading: errno) }
        defer { close(file) }
        // Of the open file, so that a symbolic link cannot change in between.
        guard let actual = Self.path(of: file) else { throw ServiceError(reading: errno) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw ServiceError(reading: errno) }
        guard actual.hasPrefix(root == "/" ? "/" : "\(root)/"), status.st_mode & S_IFMT == S_IFREG
        else { throw missing }
        guard status.st_size <= maximalSize else {
            throw ServiceError(413, "The source is too large", "Name a smaller file")
        }
        let version = FileVersion.text(status)
        let held = try files.bytes("\(actual)?\(version)") {
            do {
                return try Self.bytes(of: file, count: Int(status.st_size))
            } catch {
                throw ServiceError(
                    503,
                    "The source cannot be read",
                    "Try again later",
                    detail: "\(error)"
                )
            }
        }
        return SourceFile(
            data: held.data,
            key: "\(key)?\(version)",
            entityTag: "\"\(version)\"",
            lastModified: HTTPTime.text(Int(status.st_mtim.tv_sec)),
            held: held
        )
    }

    private static func bytes(of file: Int32, count: Int) throws -> Data {
        guard count <= UnnamedFile.largestInMemory else {
            return try UnnamedFile.copy(of: file, atMost: count)
        }
        return try FileHandle(fileDescriptor: file, closeOnDealloc: false)
            .read(upToCount: count) ?? Data()
    }

    private static func path(of file: Int32) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(file)", &buffer, buffer.count)
        guard count > 0, count < buffer.count else { return nil }
        return String(decoding: buffer[..<count], as: UTF8.self)
    }
}

extension ServiceError {
    /// The error of a file that cannot be opened.
    ///
    /// 404, which caches keep, only for what is certainly not there: without a free descriptor, or
    /// while a file system is away, nothing is known about the file.
    init(reading code: Int32) {
        switch code {
        case ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP, ENXIO:
            self.init(404, "The source was not found", "Check its path")
        default:
            let reason = String(cString: strerror(code))
            self.init(503, "The source cannot be read", "Try again later", detail: reason)
        }
    }
}

/// The bytes of a file that at least one request holds.
final class HeldBytes: Sendable {
    let data: Data

    init(_ data: Data) { self.data = data }
}

/// The files that requests hold now: hundreds of requests for one photo keep its bytes once.
private final class HeldFiles: Sendable {
    private struct Entry {
        weak var bytes: HeldBytes?
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// The bytes that another request holds, or those that `read` returns.
    func bytes(_ key: String, orRead read: () throws -> Data) rethrows -> HeldBytes {
        if let bytes = entries.withLock({ $0[key]?.bytes }) { return bytes }
        let bytes = HeldBytes(try read())
        return entries.withLock { entries in
            // Requests that read at the same time hold the bytes of the first one to finish.
            if let other = entries[key]?.bytes { return other }
            // At most one entry for each request remains.
            entries = entries.filter { $1.bytes != nil }
            entries[key] = Entry(bytes: bytes)
            return bytes
        }
    }
}

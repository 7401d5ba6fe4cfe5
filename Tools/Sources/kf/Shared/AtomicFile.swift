import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes files atomically.
enum AtomicFile {
    /// Writes a temporary file in the same folder and renames it.
    ///
    /// A device or a pipe is written directly, because renaming would replace it.
    ///
    /// - Throws: A ``Failure`` with the system's reason.
    static func write(_ data: Data, to path: String) throws {
        if let status = specialFile(at: path) {
            guard !isFolder(status) else { throw isFolder(path) }
            let file = open(path, O_WRONLY)
            guard file >= 0 else { throw failure(path, errno) }
            defer { close(file) }
            return try write(data, to: file, path)
        }
        try checkFolder(of: path)
        let (file, aside) = try makeAside(path)
        do {
            defer { close(file) }
            // mkstemp creates a file for its owner alone; ours gets the permissions of any new
            // file.
            guard fchmod(file, 0o666 & ~fileMask) == 0 else { throw failure(path, errno) }
            try write(data, to: file, path)
            try UnfinishedFiles.shared.finish(aside) {
                guard rename(aside, path) == 0 else { throw failure(path, errno) }
            }
        } catch {
            UnfinishedFiles.shared.remove(aside)
            throw error
        }
    }

    /// Throws a ``Failure`` unless the folder of a file exists and is writable.
    ///
    /// A device or a pipe is accepted whatever its folder is. A path that is a folder is refused.
    static func checkFolder(of path: String) throws {
        if let status = specialFile(at: path) {
            guard !isFolder(status) else { throw isFolder(path) }
            return
        }
        // With the slash, a file in the place of the folder is reported as no directory.
        guard access(folder(of: path) + "/", W_OK | X_OK) == 0 else { throw failure(path, errno) }
    }

    /// Throws a ``Failure`` unless files can be made in a folder, so that a read-only one is
    /// reported once and not for each file.
    static func checkWritable(_ folder: String) throws {
        let name = (folder as NSString).appendingPathComponent(".kf")
        let (file, aside) = try makeAside(name, for: folder)
        close(file)
        UnfinishedFiles.shared.remove(aside)
    }

    /// Gives a file the time of the last change of another.
    ///
    /// - Throws: A ``Failure`` with the system's reason.
    static func copyTime(from source: String, to path: String) throws {
        var status = stat()
        guard stat(source, &status) == 0 else { throw failure(source, errno) }
        let times = [status.st_atim, status.st_mtim]
        guard utimensat(AT_FDCWD, path, times, 0) == 0 else { throw failure(path, errno) }
    }

    /// Makes a folder, with the missing ones above it.
    ///
    /// - Throws: A ``Failure`` that names the folder and the reason.
    static func makeFolder(_ path: String) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true
            )
        } catch {
            let failure = "cannot make the folder \(path)"
            if let code = SystemErrorText.code(of: error) { throw Failure(failure, code: code) }
            throw Failure("\(failure): \(SystemErrorText.text(for: error))")
        }
    }

    /// The folder of a file; `.` for a name without a folder.
    static func folder(of path: String) -> String {
        // `deletingLastPathComponent` traps for a path of one character (Swift 6.3).
        guard path.contains("/") else { return "." }
        return (path as NSString).deletingLastPathComponent
    }

    /// The process's umask; read once, because reading it means setting it.
    private static let fileMask: mode_t = {
        let mask = umask(0)
        umask(mask)
        return mask
    }()

    /// The status of an existing path that is not a regular file; nil otherwise.
    private static func specialFile(at path: String) -> stat? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return nil }
        return status
    }

    /// Makes an empty file beside a path; a failure names `path`, or what the file is for.
    private static func makeAside(
        _ path: String,
        for title: String? = nil
    ) throws -> (file: Int32, path: String) {
        // Hidden, so that other programs do not mistake it for a finished file.
        let name = "." + (path as NSString).lastPathComponent.prefix(40) + ".XXXXXX"
        var template = Array(
            (folder(of: path) as NSString).appendingPathComponent(name).utf8CString
        )
        let (file, code) = UnfinishedFiles.shared.make(&template)
        guard file >= 0 else { throw failure(title ?? path, code) }
        let made = template.dropLast().map { UInt8(bitPattern: $0) }
        return (file, String(decoding: made, as: UTF8.self))
    }

    private static func write(_ data: Data, to file: Int32, _ path: String) throws {
        try data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = Glibc.write(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure(path, errno) }
                written += count
            }
        }
    }

    private static func isFolder(_ status: stat) -> Bool { status.st_mode & S_IFMT == S_IFDIR }

    private static func isFolder(_ path: String) -> Failure {
        Failure("cannot write \(path): it is a folder; name a file in it")
    }

    private static func failure(_ path: String, _ code: Int32) -> Failure {
        Failure("cannot write \(path)", code: code)
    }
}

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
    /// Links are followed. A file that is replaced keeps its permissions and attributes, and is not
    /// lost if the power fails: the bytes reach the disk before the name. A device or a pipe is
    /// written directly, because renaming would replace it.
    ///
    /// - Parameters:
    ///   - data: The bytes.
    ///   - path: The file.
    ///   - patience: The number of seconds in which a pipe may have no reader, or take no byte.
    ///   - isInPlace: Whether the file is the source of the bytes. Then it keeps its times, and its
    ///     name reaches the disk, too.
    /// - Throws: A ``Failure`` with the system's reason, and as ``OutputPlace/init(_:)``.
    static func write(
        _ data: Data,
        to path: String,
        patience: Double = 30,
        isInPlace: Bool = false
    ) throws {
        let place = try OutputPlace(path)
        if place.isSpecial {
            let file = try openSpecial(place, patience: patience)
            defer { close(file) }
            return try write(data, to: file, path, patience: patience)
        }
        try checkFolder(place)
        let (file, aside) = try makeAside(place.path)
        do {
            defer { close(file) }
            try write(data, to: file, path)
            try place.keepAttributes(in: file, keepsTimes: isInPlace)
            guard place.former == nil || fdatasync(file) == 0 else { throw failure(path, errno) }
            try UnfinishedFiles.shared.finish(aside) {
                guard rename(aside, place.path) == 0 else { throw failure(path, errno) }
            }
        } catch {
            UnfinishedFiles.shared.remove(aside)
            throw error
        }
        if isInPlace { try synchronize(folder(of: place.path)) }
    }

    /// Throws a ``Failure`` unless a file can be written: its folder exists and is writable, and the
    /// file that it replaces may be replaced.
    ///
    /// A device or a pipe is accepted whatever its folder is. A path that is a folder is refused.
    static func checkFolder(of path: String) throws { try checkFolder(OutputPlace(path)) }

    private static func checkFolder(_ place: OutputPlace) throws {
        guard !place.isSpecial else { return }
        // With the slash, a file in the place of the folder is reported as no directory.
        let folder = folder(of: place.path)
        guard access(folder + "/", W_OK | X_OK) == 0 else {
            let code = errno
            guard code == ENOENT else { throw failure(place.path, code) }
            throw Failure("cannot write \(place.path): there is no folder \(folder); make it first")
        }
    }

    /// Waits until the names of a folder are on the disk.
    private static func synchronize(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder without the right to list it cannot be opened.
        guard descriptor >= 0 || errno == EACCES else { throw failure(folder, errno) }
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        // Some file systems have nothing to wait for.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw failure(folder, errno) }
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

    /// Makes an empty file beside a path; a failure names `path`, or what the file is for.
    private static func makeAside(
        _ path: String,
        for title: String? = nil
    ) throws -> (file: Int32, path: String) {
        // Hidden, so that other programs do not mistake it for a finished file. Bytes are counted: a
        // character may have hundreds, and a name has 255.
        let beginning = (path as NSString).lastPathComponent.utf8.prefix(40)
        let name = "." + String(decoding: beginning, as: UTF8.self) + ".XXXXXX"
        var template = Array(
            (folder(of: path) as NSString).appendingPathComponent(name).utf8CString
        )
        let (file, code) = UnfinishedFiles.shared.make(&template)
        guard file >= 0 else { throw failure(title ?? path, code) }
        let made = template.dropLast().map { UInt8(bitPattern: $0) }
        return (file, String(decoding: made, as: UTF8.self))
    }

    /// Writes a file below a folder, and never to another place through a symbolic link; makes the
    /// folders between them.
    ///
    /// - Throws: As ``write(_:to:patience:isInPlace:)``, and for a link that leaves the folder.
    static func write(
        _ data: Data,
        to path: String,
        below root: String,
        patience: Double
    ) throws {
        try makeFolder(folder(of: path))
        // The file may be a link itself.
        let place = folder(of: try OutputPlace(path).path)
        let real = InputSearch.resolved(place) ?? place
        let root = InputSearch.resolved(root) ?? root
        guard real == root || real.hasPrefix(root == "/" ? "/" : root + "/") else {
            throw Failure("\(path) leaves the output folder through a symbolic link")
        }
        try write(data, to: path, patience: patience)
    }

    /// Opens a device or a pipe for writing; waits for the reader of a pipe.
    private static func openSpecial(_ place: OutputPlace, patience: Double) throws -> Int32 {
        let start = ContinuousClock.now
        while true {
            // Without O_NONBLOCK, opening a pipe without a reader would block forever.
            let file = open(place.path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
            if file >= 0 { return file }
            guard errno == ENXIO, place.isPipe else { throw failure(place.path, errno) }
            guard ContinuousClock.now - start < .seconds(patience) else {
                throw unread(place.path, patience)
            }
            // The system reports no event when a reader comes.
            poll(nil, 0, 20)
        }
    }

    private static func waitForReader(_ file: Int32, _ path: String, patience: Double) throws {
        var request = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        guard poll(&request, 1, Int32(min(patience * 1000, 86_400_000))) != 0 else {
            throw unread(path, patience)
        }
    }

    private static func unread(_ path: String, _ patience: Double) -> Failure {
        Failure("cannot write \(path): no program read from it for \(trimmed(patience)) s")
    }

    private static func write(
        _ data: Data,
        to file: Int32,
        _ path: String,
        patience: Double = 30
    ) throws {
        try data.withUnsafeBytes { bytes in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = Glibc.write(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN {
                    try waitForReader(file, path, patience: patience)
                    continue
                }
                guard count > 0 else { throw failure(path, errno) }
                written += count
            }
        }
    }

    private static func failure(_ path: String, _ code: Int32) -> Failure {
        Failure("cannot write \(path)", code: code)
    }
}

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What happens below a folder, as inotify reports it.
struct FolderChanges {
    /// A group of events.
    struct Change: Sendable {
        /// The files that were written or moved here.
        var files: Set<String> = []
        /// Whether all files are to be looked at: at the start, for a new folder, or because the
        /// kernel has dropped events.
        var includesAll = false
    }

    /// How long events are gathered at most, in seconds: a folder may change without a pause.
    private static let longest = 1.0

    private let descriptor: Int32
    private let root: String
    /// The folder that is not watched, without symbolic links.
    private let leftOut: String?
    /// The device and number of the folder.
    private let identity: [UInt64]?
    private var folders: [Int32: String] = [:]

    private init(_ root: String, _ leftOut: String?) throws {
        self.root = root
        self.leftOut = leftOut
        identity = Self.identity(of: root)
        descriptor = inotify_init1(Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw Failure("cannot watch folders", code: errno) }
    }

    /// The changes below a folder, without end; the first one is the start.
    ///
    /// Hidden folders and links to folders are left out.
    ///
    /// - Parameters:
    ///   - folder: The folder.
    ///   - leftOut: A folder that is not watched, because the program writes there.
    /// - Returns: The changes; one of a removed file is empty. Ends with a ``Failure`` if a folder
    ///   cannot be watched, or if it was removed or moved.
    static func of(
        _ folder: String,
        leavingOut leftOut: String
    ) -> AsyncThrowingStream<Change, any Error> {
        let leftOut = InputSearch.resolved(leftOut)
        return AsyncThrowingStream { continuation in
            Task {
                do {
                    // Reading blocks; the thread ends with the process.
                    try await onThread {
                        var changes = try FolderChanges(folder, leftOut)
                        try changes.watch(folder)
                        continuation.yield(Change(includesAll: true))
                        while true { continuation.yield(try changes.next()) }
                    }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }
    }

    private static func identity(of path: String) -> [UInt64]? {
        var status = stat()
        return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
    }

    /// Watches a folder and those below it.
    private mutating func watch(_ folder: String) throws {
        guard InputSearch.resolved(folder) != leftOut else { return }
        let events =
            UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_CREATE) | UInt32(IN_DELETE)
            | UInt32(IN_MOVED_FROM) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
        let number = inotify_add_watch(descriptor, folder, events)
        guard number >= 0 else {
            // It was removed meanwhile, or may not be read.
            if errno == ENOENT || errno == ENOTDIR || errno == EACCES, !folders.isEmpty { return }
            let advice = errno == ENOSPC ? " (fs.inotify.max_user_watches is the limit)" : ""
            throw Failure("cannot watch \(folder)\(advice)", code: errno)
        }
        folders[number] = folder
        // A folder that cannot be listed has no folders to watch.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where !name.hasPrefix(".") {
            let path = (folder as NSString).appendingPathComponent(name)
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { continue }
            try watch(path)
        }
    }

    /// Waits for events, and for those that follow within a tenth of a second, at most a second.
    private mutating func next() throws -> Change {
        var change = Change()
        var wait: Int32 = -1
        var end: ContinuousClock.Instant?
        while end.map({ .now < $0 }) ?? true {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&request, 1, wait)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { break }
            try takeEvents(&change)
            end = end ?? .now + .seconds(Self.longest)
            wait = 100
        }
        return change
    }

    private mutating func takeEvents(_ change: inout Change) throws {
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else {
            if count < 0, errno == EINTR { return }
            throw Failure("cannot watch folders", code: errno)
        }
        var place = 0
        let head = MemoryLayout<inotify_event>.size
        while place + head <= count {
            let event = buffer.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
            }
            let text = buffer[(place + head)..<min(count, place + head + Int(event.len))]
            place += head + Int(event.len)
            try note(event, String(decoding: text.prefix { $0 != 0 }, as: UTF8.self), &change)
        }
    }

    private mutating func note(
        _ event: inotify_event,
        _ name: String,
        _ change: inout Change
    ) throws {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { change.includesAll = true }
        if event.mask & UInt32(IN_IGNORED) != 0, folders.removeValue(forKey: event.wd) == root {
            throw Failure("\(root) was removed")
        }
        // Its path may lead to another folder now; the path `.` leads to the same one.
        if event.mask & UInt32(IN_MOVE_SELF) != 0, folders[event.wd] == root,
            Self.identity(of: root) != identity
        {
            throw Failure("\(root) was moved")
        }
        guard let folder = folders[event.wd], !name.isEmpty, !name.hasPrefix(".") else { return }
        let path = (folder as NSString).appendingPathComponent(name)
        if event.mask & UInt32(IN_ISDIR) != 0 {
            try watch(path)
            change.includesAll = true
        } else if event.mask & (UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO)) != 0 {
            change.files.insert(path)
        }
    }
}

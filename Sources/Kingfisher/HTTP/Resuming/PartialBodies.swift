public import Foundation
import Synchronization
import SystemPackage

/// The interrupted bodies in a folder, one file each.
///
/// The list of kept bodies is in memory. Disk operations run on a separate thread in order, so that
/// a request that follows an interruption finds the body.
package final class PartialBodies: Sendable {
    /// An interrupted body read from disk.
    struct Found: Sendable {
        let head: PartialHead
        let body: BodyBuffer
    }

    private struct Entry: Sendable {
        var bytes: Int
        var date: Date
        /// Whether a download continues it.
        var isTaken = false
    }

    private let policy: DownloadResumption
    private let now: @Sendable () -> Date
    /// One thread, so that files change in the order of the calls; for all folders, so that a program
    /// can wait for all before it ends.
    private static let pool = WorkPool(label: "com.onevcat.Kingfisher.PartialBodies", width: 1)
    private var pool: WorkPool { Self.pool }
    /// Entries by key; `nil` until the folder was listed.
    private let entries = Mutex<[String: Entry]?>(nil)

    /// Creates an object for a folder; the folder is not created or read before it is needed.
    package init(
        _ policy: DownloadResumption,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.policy = policy
        self.now = now
    }

    // MARK: In memory

    /// Whether no body is kept, which is nearly always the case; then no key needs to be computed.
    var isEmpty: Bool { withEntries { $0.isEmpty } }

    /// Whether a body is kept for a key, is not too old, and is not being continued.
    ///
    /// The first call lists the folder, which has at most ``DownloadResumption/maxCount`` files.
    package func contains(_ key: String) -> Bool {
        withEntries { entries in
            entries[key].map { !$0.isTaken && isYoung($0) } ?? false
        }
    }

    private func isYoung(_ entry: Entry) -> Bool {
        now().timeIntervalSince(entry.date) < policy.maxAge.inSeconds
    }

    /// Takes the body of a key out, so that no other download uses it; false if there is none.
    private func take(_ key: String) -> Bool {
        withEntries { entries in
            guard let entry = entries[key], !entry.isTaken, isYoung(entry) else { return false }
            entries[key]?.isTaken = true
            return true
        }
    }

    /// Puts a body back that a download has taken and not continued.
    func putBack(_ key: String) {
        withEntries { $0[key]?.isTaken = false }
    }

    /// Whether the size of a body is within the limits.
    func accepts(_ bytes: Int) -> Bool {
        bytes >= max(1, policy.minBytes) && bytes <= policy.maxBytes && policy.maxCount > 0
    }

    private func withEntries<Result>(_ body: (inout [String: Entry]) -> Result) -> Result {
        entries.withLock { entries in
            var known = entries ?? listFolder()
            defer { entries = known }
            return body(&known)
        }
    }

    private func listFolder() -> [String: Entry] {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
        // If there is no folder, no body was kept yet.
        let urls = try? FileManager.default.contentsOfDirectory(
            at: policy.folder,
            includingPropertiesForKeys: Array(keys)
        )
        var entries: [String: Entry] = [:]
        for url in urls ?? [] {
            // A file that disappears during the listing was removed by another process.
            guard let values = try? url.resourceValues(forKeys: keys) else { continue }
            let date = values.contentModificationDate ?? .distantPast
            switch url.pathExtension {
            case PartialFile.pathExtension, RunningFile.pathExtension:
                let key = url.deletingPathExtension().lastPathComponent
                // A body can have both files.
                var entry = entries[key] ?? Entry(bytes: 0, date: .distantPast)
                // Only the body counts, as when it was kept.
                entry.bytes += PartialFile.bodyBytes(of: url, fileBytes: values.fileSize ?? 0)
                entry.date = max(entry.date, date)
                entries[key] = entry
            case PartialFile.asideExtension where now().timeIntervalSince(date) > Self.longestWrite:
                // Of a process that was killed while it wrote.
                PartialFile.remove(url)
            default:
                break
            }
        }
        let surplus = removeSurplus(&entries)
        if !surplus.isEmpty { pool.submit { [self] in for key in surplus { remove(key) } } }
        return entries
    }

    /// Seconds after which a file that is being written was abandoned.
    private static let longestWrite: TimeInterval = 3600

    // MARK: On disk

    /// Keeps an interrupted body, replacing the one kept for the key before.
    ///
    /// - Returns: False if the body is too small or too large.
    @discardableResult
    func keep(_ body: BodyBuffer, _ head: PartialHead, for key: String) -> Bool {
        guard accepts(body.count) else { return false }
        let entry = Entry(bytes: body.count, date: now())
        let surplus = withEntries { entries in
            entries[key] = entry
            return removeSurplus(&entries)
        }
        pool.submit { [self] in
            for key in surplus { remove(key) }
            do {
                try write(body, head, for: key)
            } catch {
                // For example a full disk: the next request starts from the beginning.
                withEntries { $0[key] = nil }
            }
        }
        return true
    }

    private func write(_ body: BodyBuffer, _ head: PartialHead, for key: String) throws {
        let data = try body.data()
        // The file in which it was received only gets another name, unless its path is not that of
        // the key: then the download continues a part with its own file.
        if let file = body.file, file.path == runningURL(of: key).path,
            try PartialFile.adopt(file, data, head, to: url(of: key))
        {
            return
        }
        try PartialFile.write(data, head, to: url(of: key))
    }

    /// Takes the body kept for a key and reads it, on another thread.
    ///
    /// The download that continues it calls ``keep(_:_:for:)``, ``forget(_:)``, ``spend(_:)`` or
    /// ``putBack(_:)`` at its end.
    ///
    /// - Parameters:
    ///   - key: The key of a request.
    ///   - threshold: The maximum size of the body in memory.
    ///   - completion: Receives `nil` if the body is missing, too old or damaged; such a file is
    ///     removed.
    func find(
        _ key: String,
        threshold: Int,
        completion: @escaping @Sendable (Found?) -> Void
    ) {
        pool.submit { [self] in
            do throws(Errno) {
                guard take(key) else {
                    if withEntries({ $0[key]?.isTaken != true }) { drop(key) }
                    return completion(nil)
                }
                let found = try read(key, threshold)
                if found == nil { drop(key) }
                completion(found)
            } catch {
                // No room for a copy; the transfer that follows reports that error.
                putBack(key)
                completion(nil)
            }
        }
    }

    /// The longer of the bodies left by an interruption and by a killed process.
    private func read(_ key: String, _ threshold: Int) throws(Errno) -> Found? {
        var running = RunningFile.takeOver(runningURL(of: key))
        let partial = PartialFile.read(url(of: key))
        if let (head, file) = running, head.received > partial?.0.received ?? 0 {
            let body = BodyBuffer(file, count: head.received, threshold: threshold)
            return Found(head: head, body: body)
        }
        guard let (head, bytes) = partial else { return nil }
        // Replaced with a running file that contains this body and the bytes that follow, in case
        // this process is killed too.
        running = nil
        var body = BodyBuffer(threshold: threshold)
        try body.append(bytes.bytes) { () throws(Errno) in
            if let file = self.running(head, for: key) { return file }
            return try SpillFile()
        }
        return Found(head: head, body: body)
    }

    /// Removes the body kept for a key, if any.
    func forget(_ key: String) {
        guard withEntries({ $0.removeValue(forKey: key) }) != nil else { return }
        pool.submit { [self] in
            // If a body is kept meanwhile, its file is written after this.
            remove(key)
        }
    }

    /// Removes the body of a key that a download has taken, unless another one is kept meanwhile.
    func spend(_ key: String) {
        if withEntries({ $0[key]?.isTaken == true }) { forget(key) }
    }

    /// Waits until all previous operations are on disk.
    package func flush() async { await Self.flushAll() }

    /// Waits until all previous operations of all objects are on disk.
    static func flushAll() async {
        await withCheckedContinuation { continuation in pool.submit { continuation.resume() } }
    }

    private func drop(_ key: String) {
        withEntries { $0[key] = nil }
        remove(key)
    }

    /// Removes the files of a key, except the file of a body that is being received.
    private func remove(_ key: String) {
        PartialFile.remove(url(of: key))
        RunningFile.removeLeftOver(runningURL(of: key))
    }

    /// Makes a file for a body that is being received; a later process finds it if this one is
    /// killed.
    ///
    /// - Returns: `nil` if the file cannot be made, or if another body of the key is being
    ///   received.
    func running(_ head: PartialHead, for key: String) -> SpillFile? {
        RunningFile.make(head, at: runningURL(of: key))
    }

    /// Removes entries that are too old, and the oldest ones above the limits.
    private func removeSurplus(_ entries: inout [String: Entry]) -> [String] {
        let limit = now().addingTimeInterval(-policy.maxAge.inSeconds)
        var bytes = entries.values.reduce(0) { $0 + $1.bytes }
        var removed: [String] = []
        for (key, entry) in entries.sorted(by: { $0.value.date < $1.value.date }) {
            guard
                entry.date <= limit || bytes > policy.maxBytes || entries.count > policy.maxCount
            else { break }
            entries[key] = nil
            bytes -= entry.bytes
            removed.append(key)
        }
        return removed
    }

    private func runningURL(of key: String) -> URL {
        policy.folder.appendingPathComponent("\(key).\(RunningFile.pathExtension)")
    }

    private func url(of key: String) -> URL {
        policy.folder.appendingPathComponent("\(key).\(PartialFile.pathExtension)")
    }
}

/// Settings for keeping interrupted downloads, so that a later request continues them.
///
/// A body is kept if its transfer failed or was cancelled and the response has a strong `ETag` (RFC
/// 9110, 8.8.3). The next equal request, in this process or a later one, requests the rest with
/// `Range` and `If-Range`, and appends it if the response has the same `ETag` (15.3.7.3). Otherwise
/// the image is downloaded from the beginning.
public struct DownloadResumption: Sendable, Hashable {
    /// The folder; created when the first body is kept, with access only for the current user.
    public var folder: URL
    /// The maximum size of all kept bodies in bytes; the oldest are removed first, and a larger
    /// body is not kept.
    public var maxBytes = 256 << 20
    /// The maximum number of kept bodies; the oldest are removed first.
    public var maxCount = 32
    /// The maximum age of a kept body; three days by default.
    public var maxAge: Duration = .seconds(3 * 86_400)
    /// Smaller bodies, in bytes, are not kept: downloading them again costs less than a file.
    public var minBytes = 128 << 10

    /// Creates the default settings.
    ///
    /// - Parameter folder: Defaults to a folder in the user's cache folder.
    public init(folder: URL? = nil) {
        self.folder =
            folder
            ?? CachesFolder.url
            .appendingPathComponent("com.onevcat.Kingfisher.Downloads", isDirectory: true)
    }
}

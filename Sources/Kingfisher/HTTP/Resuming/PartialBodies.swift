package import Foundation
import Synchronization
import SystemPackage

/// Interrupted bodies in a folder, one file each.
///
/// Whether there is one for a request is known from memory; what touches the disk happens on a
/// thread of its own, in order, so that a request that follows an interruption finds the body.
package final class PartialBodies: Sendable {
    /// An interrupted body that was read again.
    struct Found: Sendable {
        let head: PartialHead
        let body: BodyBuffer
    }

    private struct Entry: Sendable {
        var bytes: Int
        var date: Date
    }

    private let policy: DownloadResumption
    private let now: @Sendable () -> Date
    /// One thread: the order of the calls is the order of the files' changes.
    private let pool = WorkPool(label: "com.onevcat.Kingfisher.PartialBodies", width: 1)
    /// By key; `nil` until the folder was listed.
    private let entries = Mutex<[String: Entry]?>(nil)

    /// Creates the bodies of a folder, which is neither made nor read before there is need.
    package init(
        _ policy: DownloadResumption,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.policy = policy
        self.now = now
    }

    // MARK: What is known without the disk

    /// Whether nothing is kept for any request; nearly always, and then no key need be computed.
    var isEmpty: Bool { withEntries { $0.isEmpty } }

    /// Whether there is a body to go on with.
    ///
    /// The first call of all lists the folder, which has ``DownloadResumption/maxCount`` files.
    package func contains(_ key: String) -> Bool {
        withEntries { entries in
            entries[key].map { now().timeIntervalSince($0.date) < policy.maxAge.inSeconds } ?? false
        }
    }

    /// Whether a body is large enough, and not too large.
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
        // No folder: nothing was kept yet.
        let urls = try? FileManager.default.contentsOfDirectory(
            at: policy.folder,
            includingPropertiesForKeys: Array(keys)
        )
        var entries: [String: Entry] = [:]
        let extensions = [PartialFile.pathExtension, RunningFile.pathExtension]
        for url in urls ?? [] where extensions.contains(url.pathExtension) {
            // One that vanished between the listing and this was somebody else's to remove.
            guard let values = try? url.resourceValues(forKeys: keys) else { continue }
            entries[url.deletingPathExtension().lastPathComponent] = Entry(
                bytes: values.fileSize ?? 0,
                date: values.contentModificationDate ?? .distantPast
            )
        }
        return entries
    }

    // MARK: The disk

    /// Keeps what came of a body, instead of what was kept for the key before.
    func keep(_ body: BodyBuffer, _ head: PartialHead, for key: String) {
        guard accepts(body.count) else { return }
        let entry = Entry(bytes: body.count, date: now())
        let surplus = withEntries { entries in
            entries[key] = entry
            return removeSurplus(&entries)
        }
        pool.submit { [self] in
            for key in surplus { remove(key) }
            do {
                try PartialFile.write(body.data(), head, to: url(of: key))
            } catch {
                // A full disk: the next request starts from the beginning.
                withEntries { $0[key] = nil }
            }
        }
    }

    /// Reads what was kept for a key, on another thread.
    ///
    /// - Parameters:
    ///   - key: Of a request.
    ///   - threshold: Where the body is to leave memory.
    ///   - completion: Gets `nil` for a body that is not there, too old or damaged; such a file is
    ///     removed.
    func find(
        _ key: String,
        threshold: Int,
        completion: @escaping @Sendable (Found?) -> Void
    ) {
        pool.submit { [self] in
            do throws(Errno) {
                if contains(key), let found = try read(key, threshold) {
                    completion(found)
                } else {
                    drop(key)
                    completion(nil)
                }
            } catch {
                // No room for a copy of it: the transfer that follows will say so better.
                completion(nil)
            }
        }
    }

    /// The longer of what an interruption and a killed process have left.
    private func read(_ key: String, _ threshold: Int) throws(Errno) -> Found? {
        var running = RunningFile.takeOver(runningURL(of: key))
        let partial = PartialFile.read(url(of: key))
        if let (head, file) = running, head.received > partial?.0.received ?? 0 {
            let body = BodyBuffer(file, count: head.received, threshold: threshold)
            return Found(head: head, body: body)
        }
        guard let (head, bytes) = partial else { return nil }
        // Its place is taken by a file with all of this and what follows, for the case that this
        // process is killed, too.
        running = nil
        var body = BodyBuffer(threshold: threshold)
        try body.append(bytes.bytes) { () throws(Errno) in
            if let file = self.running(head, for: key) { return file }
            return try SpillFile()
        }
        return Found(head: head, body: body)
    }

    /// Removes what was kept for a key, if anything was.
    func forget(_ key: String) {
        guard withEntries({ $0.removeValue(forKey: key) }) != nil else { return }
        pool.submit { [self] in
            // Kept again meanwhile: that file is written after this.
            remove(key)
        }
    }

    /// Waits until what was asked so far is on the disk; for tests.
    package func flush() async {
        await withCheckedContinuation { continuation in pool.submit { continuation.resume() } }
    }

    private func drop(_ key: String) {
        withEntries { $0[key] = nil }
        remove(key)
    }

    /// Removes the file of a key; that of a body that is being received stays.
    private func remove(_ key: String) {
        PartialFile.remove(url(of: key))
        RunningFile.removeLeftOver(runningURL(of: key))
    }

    /// A file for a body that is being received, which a later process finds if this one is killed;
    /// `nil` if it cannot be made, or if another body of the key is being received.
    func running(_ head: PartialHead, for key: String) -> SpillFile? {
        RunningFile.make(head, at: runningURL(of: key))
    }

    /// Takes out what is too old, and the oldest of what is too much.
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

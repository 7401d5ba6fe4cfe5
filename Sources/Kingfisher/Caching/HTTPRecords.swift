import Foundation
import Synchronization

/// What is remembered of answers, by the name of the picture's file in the cache.
///
/// In a hidden folder within the cache's, so that the files of the cache are pictures and nothing
/// else. Where that folder cannot be written, memory alone remembers.
final class HTTPRecords: Sendable {
    /// What is known about a file.
    struct Known: Sendable, Equatable {
        /// `nil` if nothing is remembered on disk either.
        var record: HTTPRecord?
        /// Whether the record is of a picture that did not reach the disk: what is there, if
        /// anything, is an older one.
        var isOfMemoryAlone = false
    }

    private struct State: Sendable {
        var known: [String: Known] = [:]
        var refreshing: Set<String> = []

        mutating func remember(_ new: Known, _ name: String) {
            if known.count >= HTTPRecords.maxKnown, known[name] == nil { known = [:] }
            known[name] = new
        }
    }

    /// 4096 records are a megabyte or two; beyond it memory starts anew, the disk remembers.
    private static let maxKnown = 4096
    /// In bytes; a record takes half a kilobyte.
    private static let maxBytesOnDisk = 16 << 20

    private let state = Mutex(State())
    private let store: DiskStore
    /// One thread: the order of the calls is that of the files.
    private let pool = WorkPool(label: "com.onevcat.Kingfisher.HTTPRecords", width: 1)

    /// Makes the records of a cache's folder; nothing is opened before there is need.
    init(cacheDirectory: URL) {
        store = DiskStoreRegistry.store(
            at: cacheDirectory.appendingPathComponent(".kingfisher-http", isDirectory: true)
        )
        store.sizeLimit = Self.maxBytesOnDisk
    }

    /// What is known about a file.
    ///
    /// To be asked before the picture is looked for. Pictures come before their records, so what is
    /// found then belongs to this record or is newer, and is never taken for fresher than it is.
    func known(_ name: String) async -> Known {
        if let known = state.withLock({ $0.known[name] }) { return known }
        return await withCheckedContinuation { continuation in
            pool.submit(priority: 1) { [self] in
                // What cannot be read or understood is not there: the picture is asked for anew.
                let data = try? store.data(named: name)
                let found = data.flatMap { try? JSONDecoder().decode(HTTPRecord.self, from: $0) }
                let known = state.withLock { state -> Known in
                    // Noted while the disk was read: that is newer.
                    if let known = state.known[name] { return known }
                    let known = Known(record: found)
                    state.remember(known, name)
                    return known
                }
                continuation.resume(returning: known)
            }
        }
    }

    /// Notes the record of what has no picture: in memory now, on disk behind.
    func keep(_ record: HTTPRecord, _ name: String) {
        state.withLock { $0.remember(Known(record: record), name) }
        write(record, name)
    }

    /// Notes the record of a picture that memory has and the disk will have.
    func remember(_ record: HTTPRecord, _ name: String, isOfMemoryAlone: Bool) {
        state.withLock {
            $0.remember(Known(record: record, isOfMemoryAlone: isOfMemoryAlone), name)
        }
    }

    /// Writes the record of a picture that the disk has now, or notes that it has none.
    ///
    /// Nothing happens if a newer picture was noted meanwhile.
    func pictureIsOnDisk(_ isOnDisk: Bool, _ record: HTTPRecord, _ name: String) {
        let isLast = state.withLock { state in
            guard let known = state.known[name] else { return true }
            guard known.record == record else { return false }
            state.known[name]?.isOfMemoryAlone = !isOnDisk
            return true
        }
        if isLast, isOnDisk { write(record, name) }
    }

    /// Notes what the server said anew about a picture, unless a newer picture was noted meanwhile.
    func replace(_ known: Known, by record: HTTPRecord, _ name: String) {
        let isReplaced = state.withLock { state in
            if let now = state.known[name], now != known { return false }
            var new = known
            new.record = record
            state.remember(new, name)
            return true
        }
        if isReplaced, !known.isOfMemoryAlone { write(record, name) }
    }

    private func write(_ record: HTTPRecord, _ name: String) {
        pool.submit { [self] in
            guard let data = try? JSONEncoder().encode(record) else { return }
            // Without a place on disk, memory remembers until the process ends.
            try? store.store(data, named: name, key: "", expiration: .days(90))
        }
    }

    /// Forgets the record of a file.
    func remove(_ name: String) {
        state.withLock { $0.remember(Known(), name) }
        pool.submit { [self] in
            // Not there, most of the time.
            try? store.remove(name)
        }
    }

    /// Forgets everything.
    func removeAll() {
        state.withLock { $0.known = [:] }
        pool.submit { [self] in
            // A folder that cannot be changed has nothing of ours.
            try? store.removeAll()
        }
    }

    /// Waits until what was asked so far is on the disk; for tests.
    func flush() async {
        await withCheckedContinuation { continuation in pool.submit { continuation.resume() } }
    }

    /// Whether the caller is to ask behind for news of a file; `false` while somebody does, or when
    /// somebody did since the caller asked what is known.
    func beginRefresh(_ name: String, of known: Known) -> Bool {
        state.withLock { state in
            if let now = state.known[name], now != known { return false }
            return state.refreshing.insert(name).inserted
        }
    }

    func endRefresh(_ name: String) {
        state.withLock { _ = $0.refreshing.remove(name) }
    }
}

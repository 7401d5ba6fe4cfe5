import Foundation
import Synchronization

/// What is remembered of answers, by the name of the picture's file in the cache.
///
/// In a hidden folder within the cache's, so that the files of the cache are pictures and nothing
/// else. Where that folder cannot be written, memory alone remembers.
final class HTTPRecords: Sendable {
    private struct State: Sendable {
        /// With `nil` for names that the disk does not know either.
        var known: [String: HTTPRecord?] = [:]
        var refreshing: Set<String> = []

        mutating func remember(_ record: HTTPRecord?, _ name: String, atMost limit: Int) {
            if known.count >= limit, known[name] == nil { known = [:] }
            known[name] = .some(record)
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

    /// The record of a file.
    func record(_ name: String) async -> HTTPRecord? {
        if let known = state.withLock({ $0.known[name] }) { return known }
        return await withCheckedContinuation { continuation in
            pool.submit(priority: 1) { [self] in
                // What cannot be read or understood is not there: the picture is asked for anew.
                let data = try? store.data(named: name)
                let found = data.flatMap { try? JSONDecoder().decode(HTTPRecord.self, from: $0) }
                let record = state.withLock { state -> HTTPRecord? in
                    // Noted while the disk was read: that is newer.
                    if let known = state.known[name] { return known }
                    state.remember(found, name, atMost: Self.maxKnown)
                    return found
                }
                continuation.resume(returning: record)
            }
        }
    }

    /// Notes a record: in memory now, on disk behind.
    func keep(_ record: HTTPRecord, _ name: String) {
        state.withLock { $0.remember(record, name, atMost: Self.maxKnown) }
        pool.submit { [self] in
            guard let data = try? JSONEncoder().encode(record) else { return }
            // Without a place on disk, memory remembers until the process ends.
            try? store.store(data, named: name, key: "", expiration: .days(90))
        }
    }

    /// Forgets the record of a file.
    func remove(_ name: String) {
        state.withLock { $0.remember(nil, name, atMost: Self.maxKnown) }
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

    /// Whether the caller is to ask behind for news of a file; `false` while somebody does.
    func beginRefresh(_ name: String) -> Bool {
        state.withLock { $0.refreshing.insert(name).inserted }
    }

    func endRefresh(_ name: String) {
        state.withLock { _ = $0.refreshing.remove(name) }
    }
}

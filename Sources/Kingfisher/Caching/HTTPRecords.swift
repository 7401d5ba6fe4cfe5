import Foundation
import Synchronization

/// What is remembered of answers, by the name of the picture's file in the cache.
///
/// In a hidden folder within the cache's, so that the files of the cache are pictures and nothing
/// else. Where that folder cannot be written, memory alone remembers.
final class HTTPRecords: Sendable {
    /// A record with the checksum of the file that it is of.
    struct Written: Sendable, Codable, Equatable {
        var record: HTTPRecord
        /// `nil` if there was no file.
        var checksum: UInt64?
    }

    /// What is known about a file.
    struct Known: Sendable, Equatable {
        /// Of the image that this cache stored or read last.
        var record: HTTPRecord?
        /// Whether the disk has another image, or none: this one did not reach it, or another cache
        /// or process has stored one since.
        var isOfMemoryAlone = false
        /// Of the file that the record is of; `nil` until it is written.
        var checksum: UInt64?
        /// What is known about the image on disk, if it is another one.
        var other: Written?

        /// The record of an image that was found in a layer.
        func record(of type: CacheType) -> HTTPRecord? {
            type != .memory && isOfMemoryAlone ? other?.record : record
        }
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
    private let images: DiskCache
    private let store: DiskStore
    /// One thread: the order of the calls is that of the files.
    private let pool = WorkPool(label: "com.onevcat.Kingfisher.HTTPRecords", width: 1)

    /// Makes the records of a cache's images; nothing is opened before there is need.
    init(images: DiskCache) {
        self.images = images
        let folder = URL(fileURLWithPath: images.store.directory, isDirectory: true)
            .appendingPathComponent(".kingfisher-http", isDirectory: true)
        store = DiskCache.shared(at: folder).store
        store.sizeLimit = Self.maxBytesOnDisk
    }

    /// What is known about a file.
    ///
    /// To be asked before the picture is looked for. Pictures come before their records, so what is
    /// found then belongs to this record or is newer, and is never taken for fresher than it is.
    func known(_ name: String) async -> Known {
        let known = state.withLock { $0.known[name] }
        // A checksum is nil as long as the file is not written, or is not there.
        if let known, !known.isOfMemoryAlone,
            known.checksum == nil
                || images.store.isOpen && known.checksum == images.checksum(of: name)
        {
            return known
        }
        return await withCheckedContinuation { continuation in
            pool.submit(priority: 1) { [self] in
                continuation.resume(returning: compared(known, name))
            }
        }
    }

    /// Compares what is remembered with the file that is there now.
    private func compared(_ known: Known?, _ name: String) -> Known {
        let checksum = images.checksum(of: name)
        if let known, !known.isOfMemoryAlone, known.checksum == checksum { return known }
        let written = written(name).flatMap { $0.checksum == checksum ? $0 : nil }
        return state.withLock { state in
            // Noted while the disk was read: that is newer.
            if let now = state.known[name], now != known { return now }
            var new = known ?? Known(record: written?.record, checksum: written?.checksum)
            if known != nil {
                new.isOfMemoryAlone = true
                new.other = written
            }
            state.remember(new, name)
            return new
        }
    }

    private func written(_ name: String) -> Written? {
        // What cannot be read or understood is not there: the picture is asked for again.
        let data = try? store.data(named: name)
        return data.flatMap { try? JSONDecoder().decode(Written.self, from: $0) }
    }

    /// Notes the record of what has no picture: in memory now, on disk behind.
    func keep(_ record: HTTPRecord, _ name: String) {
        let checksum = images.checksum(of: name)
        state.withLock { $0.remember(Known(record: record, checksum: checksum), name) }
        write(Written(record: record, checksum: checksum), name)
    }

    /// Notes the record of a picture that memory has and the disk will have.
    func remember(_ record: HTTPRecord, _ name: String, isOfMemoryAlone: Bool) {
        state.withLock {
            $0.remember(Known(record: record, isOfMemoryAlone: isOfMemoryAlone), name)
        }
    }

    /// Writes the record of a picture that the disk has now, or notes that it has none.
    ///
    /// The checksum is that of the file; `nil` if the picture is not on disk. Nothing happens if a
    /// newer picture was noted meanwhile.
    func pictureIsOnDisk(_ checksum: UInt64?, _ record: HTTPRecord, _ name: String) {
        let isLast = state.withLock { state in
            guard let known = state.known[name] else { return true }
            guard known.record == record else { return false }
            state.known[name]?.isOfMemoryAlone = checksum == nil
            state.known[name]?.checksum = checksum
            return true
        }
        if isLast, checksum != nil { write(Written(record: record, checksum: checksum), name) }
    }

    /// Notes what the server said again about a picture that was found in a layer, unless a newer
    /// picture was noted meanwhile.
    func replace(_ known: Known, of type: CacheType, by record: HTTPRecord, _ name: String) {
        let replaced = state.withLock { state -> Known? in
            if let now = state.known[name], now != known { return nil }
            var new = known
            if type != .memory, let other = known.other {
                // Read from disk, the other image is in memory now.
                new = Known(checksum: other.checksum)
            }
            new.record = record
            state.remember(new, name)
            return new
        }
        if let replaced, !replaced.isOfMemoryAlone {
            write(Written(record: record, checksum: replaced.checksum), name)
        }
    }

    private func write(_ written: Written, _ name: String) {
        pool.submit { [self] in
            guard let data = try? JSONEncoder().encode(written) else { return }
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

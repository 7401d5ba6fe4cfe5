import Foundation
import Synchronization

/// What is remembered of responses, by the name of the image's file in the cache.
///
/// A record belongs to an image: in memory to the object, on disk to the checksum of the file. What
/// has no record of its own is asked for without a condition, so a record never speaks for another
/// image, whichever cache or process stored that.
///
/// The files are in a hidden folder within the cache's. Where that cannot be written, memory alone
/// remembers.
final class HTTPRecords: Sendable {
    /// Where an image came from.
    enum Origin: Sendable {
        /// A cache gave this object.
        case object(KFCrossPlatformImage)
        /// It was decoded from a file with this checksum; nil while it waits to be written.
        case file(UInt64?)
    }

    /// A record with the checksum of the file that it is of.
    private struct Written: Sendable, Codable, Equatable {
        let record: HTTPRecord
        /// Nil for the news that there is no image: it holds as long as there is no file.
        let checksum: UInt64?
    }

    /// The image that memory has, or had.
    private struct Held: Sendable {
        weak var image: KFCrossPlatformImage?
        /// Nil if it was read from disk and its record was not asked for since.
        var record: HTTPRecord?
        /// Of the file with the same image; nil until that is written.
        var checksum: UInt64?
    }

    private struct State: Sendable {
        var held: [String: Held] = [:]
        var written: [String: Written] = [:]
        var refreshing: Set<String> = []

        /// Where entries of dead images are looked for next.
        private var sweepsAt = HTTPRecords.maxKnown

        mutating func hold(_ new: Held, _ name: String) {
            held[name] = new
            guard held.count >= sweepsAt else { return }
            // A living image is larger than its record.
            held = held.filter { $0.value.image != nil }
            sweepsAt = max(HTTPRecords.maxKnown, held.count * 2)
        }

        mutating func keep(_ new: Written, _ name: String) {
            if written.count >= HTTPRecords.maxKnown, written[name] == nil { written = [:] }
            written[name] = new
        }
    }

    /// How many records of files memory has at most: a megabyte or two; beyond it memory starts
    /// again, and the disk remembers.
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

    // MARK: Finding

    /// The record of an image that was found under a name.
    func record(of origin: Origin, _ name: String) async -> HTTPRecord? {
        switch origin {
        case .file(let checksum):
            return await record(ofFile: checksum, name)
        case .object(let image):
            let held = state.withLock { $0.held[name] }
            guard let held, held.image === image else { return nil }
            if let record = held.record { return record }
            let record = await record(ofFile: held.checksum, name)
            state.withLock { state in
                guard let now = state.held[name], now.image === image, now.record == nil else {
                    return
                }
                state.held[name]?.record = record
            }
            return record
        }
    }

    private func record(ofFile checksum: UInt64?, _ name: String) async -> HTTPRecord? {
        guard let checksum else { return nil }
        let known = state.withLock { $0.written[name] }
        if let known, known.checksum == checksum { return known.record }
        guard let written = await written(name), written.checksum == checksum else { return nil }
        return written.record
    }

    /// The record of the image that a name has now.
    func current(_ name: String) async -> HTTPRecord? {
        let held = state.withLock { $0.held[name] }
        if let held, held.image != nil, let record = held.record { return record }
        return await record(ofFile: images.checksum(of: name), name)
    }

    /// The record of the response that there is no image; nil if there is a file, or no such record.
    func absence(_ name: String) async -> HTTPRecord? {
        var found = state.withLock { $0.written[name] }
        if found?.record.isNegative != true { found = await written(name) }
        guard let found, found.record.isNegative, images.checksum(of: name) == nil else {
            return nil
        }
        return found.record
    }

    /// Reads what the disk remembers, perhaps from another process.
    private func written(_ name: String) async -> Written? {
        await withCheckedContinuation { continuation in
            pool.submit(priority: 1) { [self] in
                // What cannot be read or understood is not there: the image is asked for again.
                let data = try? store.data(named: name)
                let written = data.flatMap { try? JSONDecoder().decode(Written.self, from: $0) }
                if let written { state.withLock { $0.keep(written, name) } }
                continuation.resume(returning: written)
            }
        }
    }

    // MARK: Noting

    /// Notes an image that was stored in memory, with its record if it has one.
    func stored(_ image: KFCrossPlatformImage, _ record: HTTPRecord?, _ name: String) {
        state.withLock { state in
            // The disk may be faster than the one who stores.
            let written = state.written[name].flatMap { $0.record == record ? $0 : nil }
            state.hold(Held(image: image, record: record, checksum: written?.checksum), name)
        }
    }

    /// Notes an image that was decoded from a file and put into memory.
    func read(_ image: KFCrossPlatformImage, from checksum: UInt64?, _ name: String) {
        state.withLock { state in
            if state.held[name]?.image === image { return }
            state.hold(Held(image: image, checksum: checksum), name)
        }
    }

    /// Notes the record of a file that was written.
    func wrote(_ checksum: UInt64, _ record: HTTPRecord, _ name: String) {
        state.withLock { state in
            if state.held[name]?.record == record { state.held[name]?.checksum = checksum }
        }
        write(Written(record: record, checksum: checksum), name)
    }

    /// Notes what the server said again about an image.
    func replace(_ origin: Origin, by new: HTTPRecord, _ name: String) {
        let checksum = state.withLock { state -> UInt64? in
            let held = state.held[name]
            let isHeld: Bool
            var checksum: UInt64?
            switch origin {
            case .object(let image):
                isHeld = held?.image === image
                checksum = isHeld ? held?.checksum : nil
            case .file(let read):
                isHeld = read != nil && held?.checksum == read
                checksum = read
            }
            if isHeld { state.held[name]?.record = new }
            return checksum
        }
        if let checksum { write(Written(record: new, checksum: checksum), name) }
    }

    /// Notes a response that there is no image; to be called once the image is removed.
    func noteAbsence(_ record: HTTPRecord, _ name: String) {
        write(Written(record: record, checksum: nil), name)
    }

    private func write(_ written: Written, _ name: String) {
        state.withLock { $0.keep(written, name) }
        pool.submit { [self] in
            guard let data = try? JSONEncoder().encode(written) else { return }
            // Without a place on disk, memory remembers until the process ends.
            try? store.store(data, named: name, key: "", expiration: .days(90))
        }
    }

    /// Forgets what is known under a name.
    func remove(_ name: String) {
        state.withLock { state in
            state.held[name] = nil
            state.written[name] = nil
        }
        pool.submit { [self] in
            // Programs without HTTP caching have no such folder, and need none.
            guard store.isOpen || access(store.directory, F_OK) == 0 else { return }
            // Not there, most of the time.
            try? store.remove(name)
        }
    }

    /// Forgets the image that memory had.
    func forgetImage(_ name: String) { state.withLock { $0.held[name] = nil } }

    /// Forgets everything.
    func removeAll() {
        state.withLock { state in
            state.held = [:]
            state.written = [:]
        }
        pool.submit { [self] in
            // A folder that cannot be changed has nothing of ours.
            try? store.removeAll()
        }
    }

    /// Waits until what was asked so far is on the disk; for tests.
    func flush() async {
        await withCheckedContinuation { continuation in pool.submit { continuation.resume() } }
    }

    // MARK: Asking in the background

    /// Whether the caller is to ask in the background for news of an image; false while another
    /// does, or if another has since the caller got the record.
    func beginRefresh(_ name: String, of origin: Origin, with record: HTTPRecord) -> Bool {
        state.withLock { state in
            let now: HTTPRecord?
            switch origin {
            case .object(let image):
                let held = state.held[name]
                guard held?.image === image else { return false }
                now = held?.record
            case .file(let checksum):
                let written = state.written[name]
                now = written?.checksum == checksum ? written?.record : record
            }
            guard now == record else { return false }
            return state.refreshing.insert(name).inserted
        }
    }

    func endRefresh(_ name: String) {
        state.withLock { _ = $0.refreshing.remove(name) }
    }

    /// Whether any load asks in the background.
    var isRefreshing: Bool { state.withLock { !$0.refreshing.isEmpty } }
}

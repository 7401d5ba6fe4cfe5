import Foundation
import Synchronization

/// The HTTP records of a cache's images, which are the metadata of its entries.
///
/// An image without a record is requested without a condition, so that a record never confirms
/// another image, whichever cache or process stored it.
extension ImageCache {
    /// The rules of HTTP caching that apply to images that are loaded into this cache; by default
    /// those of a cache of one user.
    ///
    /// They take effect for responses that arrive later, so set them before the first load.
    public var httpCachingRules: HTTPCachingRules {
        get { http.rules.withLock { $0 } }
        set { http.rules.withLock { $0 = newValue } }
    }

    /// The metadata of an image found in memory; nil if memory has a different image now.
    func metadata(of image: KFCrossPlatformImage, _ entry: CacheEntryName) -> EntryMetadata? {
        memoryStorage.store.note(of: image, for: entry.memoryKey) as? EntryMetadata
    }

    /// The record in an entry's metadata; nil if it cannot be read.
    func record(_ metadata: EntryMetadata, of entry: CacheEntryName) -> HTTPRecord? {
        metadata.value { diskStorage.record(from: $0, of: entry) }
    }

    /// The metadata of an entry that is stored with a record.
    func metadata(_ record: HTTPRecord?, of entry: CacheEntryName) -> EntryMetadata? {
        record.map { EntryMetadata($0, encoded: diskStorage.encoded($0, of: entry)) }
    }

    /// Replaces the record of an image in memory, and on disk if its bytes are still there.
    func replace(_ metadata: EntryMetadata, by record: HTTPRecord, of entry: CacheEntryName) {
        metadata.replace(by: record, encoded: diskStorage.encoded(record, of: entry))
        // If this fails the server is asked again, which is harmless.
        diskStorage.queue.enqueue(
            .description(metadata),
            on: diskStorage.fileName(of: entry),
            completion: { [weak self] _ in self?.shareAgain(entry) }
        )
    }

    /// Sends an entry on disk to other machines with its new record.
    private func shareAgain(_ entry: CacheEntryName) {
        guard let sharing, !sharing.isPaused else { return }
        reader.submit(priority: 0) { [diskStorage] in
            // Without the file, other machines ask the server themselves.
            let contents = try? diskStorage.contents(of: entry, extending: .none)
            guard let contents else { return }
            sharing.store(
                contents.data,
                of: entry,
                expiration: nil,
                metadata: contents.metadata
            )
        }
    }

    /// The record of the current image of an entry.
    func currentRecord(of entry: CacheEntryName) async -> HTTPRecord? {
        let image = memoryStorage.store.object(for: entry.memoryKey, extending: .none)
        let note = image.flatMap { memoryStorage.store.note(of: $0, for: entry.memoryKey) }
        if let metadata = note as? EntryMetadata { return record(metadata, of: entry) }
        // A cancelled lookup returns no result; a cancelled caller does not continue.
        let metadata = try? await reader.run { [diskStorage] in
            diskStorage.disk.metadata(of: diskStorage.fileName(of: entry), entry.division)
        }
        return metadata.flatMap { $0 }.flatMap { record($0, of: entry) }
    }

    // MARK: Absences

    /// The record of the response that there is no image; nil if there is an image or no such
    /// record.
    ///
    /// - Throws: `CancellationError` as soon as the caller's task is cancelled.
    func absence(of entry: CacheEntryName) async throws -> HTTPRecord? {
        let bytes = try await probing { [diskStorage] in
            diskStorage.disk.absence(of: diskStorage.fileName(of: entry))
        }
        return bytes.flatMap { diskStorage.record(from: $0, of: entry) }
    }

    /// Removes an entry from disk, and records for a short time why there is none.
    func noteAbsence(
        _ record: HTTPRecord,
        of entry: CacheEntryName,
        remaining: TimeInterval
    ) {
        let absence = DiskAbsence(
            expiry: diskStorage.store.clock.now() + remaining,
            metadata: diskStorage.encoded(record, of: entry)
        )
        diskStorage.queue.enqueue(
            .absence(absence),
            on: diskStorage.fileName(of: entry),
            completion: { _ in }
        )
    }

    // MARK: Background revalidation

    /// Whether the caller should revalidate an image in the background; false while another load
    /// does, or if another load did since the caller got the record.
    func beginRefresh(
        of entry: CacheEntryName,
        _ metadata: EntryMetadata,
        with record: HTTPRecord
    ) -> Bool {
        http.refreshing.withLock { refreshing in
            guard self.record(metadata, of: entry) == record else { return false }
            return refreshing.insert(entry).inserted
        }
    }

    func endRefresh(of entry: CacheEntryName) {
        http.refreshing.withLock { _ = $0.remove(entry) }
    }
}

/// The state of HTTP caching in a cache.
final class HTTPCachingState: Sendable {
    let rules = Mutex(HTTPCachingRules())
    /// The entries that are revalidated in the background now.
    let refreshing = Mutex<Set<CacheEntryName>>([])
}

extension DiskStorage.Backend<Data> {
    /// The encoded record; empty on failure.
    ///
    /// A record contains URLs and, because of `Vary`, values of request fields, and the index must
    /// not contain passwords. The record is therefore encrypted with the entry's key, which the
    /// index stores hashed or without user names.
    func encoded(_ record: HTTPRecord, of entry: CacheEntryName) -> Data {
        let sealed = (try? JSONEncoder().encode(record)).flatMap {
            try? Self.cipher(of: entry).seal($0, name: "")
        }
        return sealed ?? Data()
    }

    /// The record of encoded bytes; nil if they are not a record of this entry and version.
    func record(from bytes: Data, of entry: CacheEntryName) -> HTTPRecord? {
        (try? Self.cipher(of: entry).open(bytes, name: "")).flatMap {
            try? JSONDecoder().decode(HTTPRecord.self, from: $0)
        }
    }

    private static func cipher(of entry: CacheEntryName) -> AESGCMTransformer {
        // A record of an entry with the same computed key must not be readable.
        let division = entry.division == .atFirst ? "" : "@\(entry.division.offset)"
        let text = "http\(division) \(entry.computedKey)"
        return AESGCMTransformer(key: Data(SHA256.hash(Data(text.utf8))))
    }
}

/// The record of an image that a subclass of the cache stores.
///
/// The overridable methods for storing have no parameter for it, so it is passed as a task-local
/// value.
struct ArrivingRecord: Sendable {
    @TaskLocal private static var current: ArrivingRecord?

    private let record: HTTPRecord
    private let entry: CacheEntryName
    /// Nil for the bytes of an original.
    private let image: KFCrossPlatformImage?

    /// Stores with a record, if there is one.
    static func with(
        _ record: HTTPRecord?,
        of entry: CacheEntryName,
        _ image: KFCrossPlatformImage?,
        _ store: () -> Void
    ) {
        let arriving = record.map { ArrivingRecord(record: $0, entry: entry, image: image) }
        $current.withValue(arriving, operation: store)
    }

    /// The metadata of an image or of bytes; nil without a record, or if a subclass stores another
    /// image or entry.
    static func metadata(
        for entry: CacheEntryName,
        _ image: KFCrossPlatformImage?,
        in cache: ImageCache
    ) -> EntryMetadata? {
        guard let current, entry == current.entry, image === current.image else { return nil }
        return cache.metadata(current.record, of: entry)
    }
}

import Foundation
import Synchronization

/// The index's information about one file of a disk store.
///
/// The properties have no defaults, so that each place that makes an entry names them all.
struct DiskEntry: Sendable, Equatable {
    /// The file's name in the folder.
    var name: String
    /// The key under which it was stored; empty if unknown.
    var key: String
    /// The size of the file in bytes.
    var size: Int
    /// The checksum of the bytes in the file.
    var checksum: UInt64
    /// The modification time of the file in nanoseconds since 1970, by the file system's clock.
    var modified: Int64
    /// In seconds since the reference date, like ``expiry``.
    var access: TimeInterval
    var expiry: TimeInterval
    /// The seconds by which a read extends the expiration with `cacheTime`.
    var lifetime: TimeInterval
    /// The place of the entry's metadata in the log.
    var metadata: LogPlace
    /// Where the key divides; entries with another division have the same name.
    var division: KeyDivision

    mutating func extend(_ extending: ExpirationExtending, at now: TimeInterval) {
        switch extending {
        case .none: return
        case .cacheTime: expiry = now + lifetime
        case .expirationTime(let rule):
            expiry = rule.expiry(from: now)
            lifetime = rule.length(from: now)
        }
        access = now
    }
}

/// The place of a record with metadata in a log.
struct LogPlace: Sendable, Equatable {
    /// The offset of the record in bytes.
    private(set) var start: UInt32 = 0
    /// The size of the metadata in bytes; 0 for none.
    private(set) var count: UInt32 = 0

    init() {}

    /// A place beyond 4 GiB, which no log reaches, counts as none.
    init(start: Int, count: Int) {
        guard let start = UInt32(exactly: start), let count = UInt32(exactly: count) else { return }
        (self.start, self.count) = (start, count)
    }
}

/// The bytes of an entry and their metadata.
struct DiskContents: Sendable {
    let data: Data
    let metadata: EntryMetadata?
}

/// Information about an entry's bytes, such as the record of their HTTP response.
///
/// Memory stores it with the image; the disk writes it with the bytes, in one record of the log.
/// Pending bytes and their readers share one object, so that a change also affects pending bytes.
final class EntryMetadata: Sendable {
    /// In bytes; larger metadata is not written, so that a server cannot fill the disk with header
    /// fields.
    static let maximalSize = 16_384

    private struct State {
        var bytes: Data
        /// The decoded value, once it was requested.
        var value: (any Sendable)?
        var checksum: UInt64?
    }

    private let state: Mutex<State>

    /// Makes the metadata of bytes to be written.
    init(_ value: any Sendable, encoded bytes: Data) {
        state = Mutex(State(bytes: bytes, value: value))
    }

    /// Makes the metadata of bytes that were read.
    init(_ bytes: Data, of checksum: UInt64) {
        state = Mutex(State(bytes: bytes, checksum: checksum))
    }

    /// The encoded metadata.
    var bytes: Data { state.withLock { $0.bytes } }

    /// The checksum of the bytes it belongs to; nil until they are written.
    var checksum: UInt64? { state.withLock { $0.checksum } }

    /// Returns the decoded metadata, decoding it once; nil if decoding fails.
    func value<Value: Sendable>(_ decode: (Data) -> Value?) -> Value? {
        let (value, bytes) = state.withLock { ($0.value, $0.bytes) }
        if let value = value as? Value { return value }
        guard let decoded = decode(bytes) else { return nil }
        return state.withLock { state in
            // Replaced meanwhile, or decoded by another thread.
            if let value = state.value as? Value { return value }
            state.value = decoded
            return decoded
        }
    }

    /// Replaces the metadata; the caller must write it.
    func replace(by value: any Sendable, encoded bytes: Data) {
        state.withLock { ($0.value, $0.bytes) = (value, bytes) }
    }

    /// Records the checksum of the written bytes.
    func wasWritten(with checksum: UInt64) { state.withLock { $0.checksum = checksum } }
}

/// The reason why a name has no entry, such as the record of a 404.
struct DiskAbsence: Sendable, Equatable {
    /// Seconds since the reference date.
    var expiry: TimeInterval
    var metadata: Data
}

/// Statistics of a cache's disk storage since its folder was opened, and its current contents.
///
/// Each process counts its own operations; ``size`` and ``count`` refer to the folder.
public struct DiskStatistics: Sendable, Equatable {
    /// Lookups that returned bytes.
    public internal(set) var hits = 0
    /// Lookups of keys without an entry.
    public internal(set) var absences = 0
    /// Lookups of expired entries.
    public internal(set) var staleReads = 0
    /// Lookups of entries whose file was missing or had changed.
    public internal(set) var damagedReads = 0
    /// Lookups of entries whose file could not be read.
    public internal(set) var unreadable = 0
    /// Stored entries.
    public internal(set) var stores = 0
    /// Stored entries that needed no new file, because the folder had one with the same bytes.
    public internal(set) var shared = 0
    /// Entries removed by a call.
    public internal(set) var removals = 0
    /// Entries removed because they had expired.
    public internal(set) var expired = 0
    /// Entries removed because of the size limit.
    public internal(set) var trimmed = 0
    /// Entries removed because the disk was full.
    public internal(set) var displaced = 0
    /// Entries deleted because their bytes had changed or could not be verified.
    public internal(set) var damaged = 0
    /// Files without an entry that were added to the index when the folder was opened.
    public internal(set) var adopted = 0
    /// How often the index was rebuilt because its log was missing or damaged.
    public internal(set) var rebuilds = 0
    /// The total size in bytes of the entries, where shared files count once, and of files that dead
    /// processes left and that cannot be removed.
    public internal(set) var size = 0
    /// The number of entries.
    public internal(set) var count = 0

    /// Lookups that returned no bytes.
    public var misses: Int { absences + staleReads + damagedReads + unreadable }

    init() {}
}

/// Counts the operations of a store.
final class DiskCounts: Sendable {
    private let statistics = Mutex(DiskStatistics())

    var current: DiskStatistics { statistics.withLock { $0 } }

    func add(_ change: (inout DiskStatistics) -> Void) { statistics.withLock { change(&$0) } }
}

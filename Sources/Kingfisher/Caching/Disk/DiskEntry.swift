import Foundation

/// The index's information about one file of a disk store.
struct DiskEntry: Sendable, Equatable {
    /// The file's name in the folder.
    var name: String
    /// The key under which it was stored; empty if that is not known.
    var key: String
    /// In bytes, on the disk.
    var size: Int
    /// Of the bytes on the disk.
    var checksum: UInt64
    /// When the file was written, by the file system's clock, in nanoseconds since 1970.
    var modified: Int64
    /// Seconds since the reference date, as is ``expiry``.
    var access: TimeInterval
    var expiry: TimeInterval
    /// By how much a read extends the expiration under the entry's own rule, in seconds.
    var lifetime: TimeInterval
    /// Where the log has the entry's metadata.
    var metadata = LogPlace()

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

/// Where a log has a record with metadata.
struct LogPlace: Sendable, Equatable {
    /// Where the record starts, in bytes.
    private(set) var start: UInt32 = 0
    /// The size of the metadata in the record; 0 where there is none.
    private(set) var count: UInt32 = 0

    init() {}

    /// A place beyond 4 GiB, which no log reaches, is none.
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

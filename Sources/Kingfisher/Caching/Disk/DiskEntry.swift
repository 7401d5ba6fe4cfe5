import Foundation

/// The index's information about one file of a disk store.
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

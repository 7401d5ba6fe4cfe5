import Foundation

/// What the index knows about one file of a disk store.
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
    /// What a read that prolongs by the entry's own rule adds to its time, in seconds.
    var lifetime: TimeInterval

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

/// The bytes of an entry.
struct DiskContents: Sendable {
    let data: Data
    /// The entry's checksum, which tells its bytes from others of the name; nil while they wait to
    /// be written.
    let checksum: UInt64?
}

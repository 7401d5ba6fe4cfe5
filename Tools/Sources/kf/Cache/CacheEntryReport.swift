import Foundation
import Kingfisher

/// What is told about one entry of a cache.
struct CacheEntryReport: Encodable {
    /// Null for a file that was put into the folder by hand.
    let key: String?
    let path: String
    let bytes: Int
    let lastAccess: Date
    /// Null if it never expires.
    let expiration: Date?
    let isExpired: Bool

    init(_ entry: DiskStorage.Entry) {
        key = entry.key
        path = entry.fileURL.path
        bytes = entry.size
        lastAccess = entry.lastAccess
        expiration = entry.expiration
        isExpired = entry.isExpired()
    }

    /// The key, or the file's name where there is none.
    var title: String { key ?? (path as NSString).lastPathComponent }

    enum CodingKeys: CodingKey {
        case key, path, bytes, lastAccess, expiration, isExpired
    }

    // Written out, because the synthesised one leaves nil out and readers want the same fields
    // every time.
    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(key, forKey: .key)
        try values.encode(path, forKey: .path)
        try values.encode(bytes, forKey: .bytes)
        try values.encode(lastAccess, forKey: .lastAccess)
        try values.encode(expiration, forKey: .expiration)
        try values.encode(isExpired, forKey: .isExpired)
    }
}

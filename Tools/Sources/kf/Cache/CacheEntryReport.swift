import Foundation
import Kingfisher

/// The description of one cache entry.
struct CacheEntryReport: Encodable {
    /// Null for a file that the library did not store.
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

    /// The key, or the file name if there is no key.
    var title: String { key ?? (path as NSString).lastPathComponent }

    enum CodingKeys: CodingKey {
        case key, path, bytes, lastAccess, expiration, isExpired
    }

    // Not synthesized: the synthesized method omits nil, but the output always has all fields.
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

import ArgumentParser
import Foundation
import Kingfisher

/// `kf cache stats`.
struct CacheStatsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Prints the number and size of a cache's entries.",
        discussion: """
            Examples:
              kf cache stats
              kf cache stats --cache thumbnails --json
            """
    )

    @OptionGroup var options: CacheOptions

    func run() async throws {
        try options.run { storage in
            Result(folder: storage.directoryURL.path, storage.entries.map(CacheEntryReport.init))
        }
    }

    struct Result: Report {
        let folder: String
        let entries: Int
        let bytes: Int
        let expired: Int
        let expiredBytes: Int
        /// Null for an empty cache.
        let oldestAccess: Date?
        let newestAccess: Date?

        init(folder: String, _ all: [CacheEntryReport]) {
            self.folder = folder
            let invalid = all.filter(\.isExpired)
            entries = all.count
            bytes = all.reduce(0) { $0 + $1.bytes }
            expired = invalid.count
            expiredBytes = invalid.reduce(0) { $0 + $1.bytes }
            oldestAccess = all.map(\.lastAccess).min()
            newestAccess = all.map(\.lastAccess).max()
        }

        enum CodingKeys: CodingKey {
            case folder, entries, bytes, expired, expiredBytes, oldestAccess, newestAccess
        }

        // Not synthesized: the synthesized method omits nil.
        func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(folder, forKey: .folder)
            try values.encode(entries, forKey: .entries)
            try values.encode(bytes, forKey: .bytes)
            try values.encode(expired, forKey: .expired)
            try values.encode(expiredBytes, forKey: .expiredBytes)
            try values.encode(oldestAccess, forKey: .oldestAccess)
            try values.encode(newestAccess, forKey: .newestAccess)
        }

        func summary() -> String {
            var used = ""
            if let oldestAccess, let newestAccess {
                used =
                    "\nused     \(Readable.moment(oldestAccess)) to "
                    + Readable.moment(newestAccess)
            }
            return """
                folder   \(folder)
                entries  \(entries), \(Readable.bytes(bytes))
                expired  \(expired), \(Readable.bytes(expiredBytes))\(used)
                """
        }
    }
}

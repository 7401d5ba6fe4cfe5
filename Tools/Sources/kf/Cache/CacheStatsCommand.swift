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
            var result = Result(folder: storage.directoryURL.path)
            storage.forEachEntry { result.add($0) }
            result.bytes = storage.statistics.size
            return result
        }
    }

    struct Result: Report {
        let folder: String
        private(set) var entries = 0
        /// Of all files, also of those that killed processes left.
        fileprivate(set) var bytes = 0
        private(set) var expired = 0
        private(set) var expiredBytes = 0
        /// Null for an empty cache.
        private(set) var oldestAccess: Date?
        private(set) var newestAccess: Date?

        init(folder: String) { self.folder = folder }

        mutating func add(_ entry: DiskStorage.Entry) {
            let isExpired = entry.isExpired()
            entries += 1
            expired += isExpired ? 1 : 0
            // Sizes come from the index, which may be damaged.
            expiredBytes &+= isExpired ? entry.size : 0
            oldestAccess = min(oldestAccess ?? entry.lastAccess, entry.lastAccess)
            newestAccess = max(newestAccess ?? entry.lastAccess, entry.lastAccess)
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

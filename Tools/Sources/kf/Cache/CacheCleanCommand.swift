import ArgumentParser
import Foundation
import Kingfisher

/// `kf cache clean`.
struct CacheCleanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clean",
        abstract: "Removes expired entries, and trims a cache that is too large.",
        discussion: """
            Examples:
              kf cache clean
              kf cache clean --limit 100000000 --cache thumbnails
            """
    )

    @Option(
        help: ArgumentHelp(
            "Trim a cache of at least this many bytes to half, removing the least used first.",
            valueName: "bytes"
        )
    )
    var limit: UInt?

    @OptionGroup var options: CacheOptions

    func validate() throws {
        if limit == 0 {
            throw ValidationError("the limit must be at least 1 byte; use clear to remove all")
        }
    }

    func run() async throws {
        try options.run { storage in
            let before = try storage.totalSize()
            let expired = try storage.removeExpiredValues().count
            storage.config.sizeLimit = limit ?? 0
            let trimmed = try storage.removeSizeExceededValues().count
            let after = try storage.totalSize()
            return CacheRemovalReport(
                expired: expired,
                trimmed: trimmed,
                bytes: Int(before) - Int(after),
                bytesLeft: Int(after)
            )
        }
    }
}

/// `kf cache clear`.
struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Removes everything from a cache.",
        discussion: """
            Examples:
              kf cache clear
              kf cache clear --cache thumbnails --json
            """
    )

    @OptionGroup var options: CacheOptions

    func run() async throws {
        try options.run { storage in
            let before = storage.statistics
            try storage.removeAll()
            return Result(removed: before.count, bytes: before.size)
        }
    }

    struct Result: Report {
        let removed: Int
        let bytes: Int

        func summary() -> String {
            "Removed \(Readable.count(removed, "entry", "entries")), \(Readable.bytes(bytes))."
        }
    }
}

/// The result of cleaning or clearing a cache.
struct CacheRemovalReport: Report {
    let expired: Int
    let trimmed: Int
    let bytes: Int
    let bytesLeft: Int

    func summary() -> String {
        let entries = "\(expired) expired" + (trimmed > 0 ? " and \(trimmed) least used" : "")
        return
            "Removed \(entries), \(Readable.bytes(bytes)); \(Readable.bytes(bytesLeft)) are left."
    }
}

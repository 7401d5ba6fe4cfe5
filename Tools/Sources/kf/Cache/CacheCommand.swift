import ArgumentParser
import Kingfisher

/// `kf cache`: shows and maintains a cache on disk.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Shows, cleans and verifies a cache on disk.",
        discussion: """
            --cache names the folder given to `kf get --cache`, or the folder of any cache that \
            Kingfisher has created. An app may use the cache at the same time.

            Examples:
              kf cache stats
              kf cache list --cache ~/.cache/com.onevcat.Kingfisher.ImageCache.default
            """,
        subcommands: [
            CacheStatsCommand.self, CacheListCommand.self, CachePathCommand.self,
            CacheCleanCommand.self, CacheClearCommand.self, CacheVerifyCommand.self,
        ]
    )
}

/// The options of all cache commands.
struct CacheOptions: ParsableArguments {
    @Option(
        name: .customLong("cache"),
        help: ArgumentHelp("The folder of the cache; kf's own by default.", valueName: "dir"),
        completion: .directory
    )
    var folder: String?

    @OptionGroup var out: OutputOptions

    /// Opens the cache, runs `body` and prints its report.
    func run<Result: Report>(_ body: (ToolCache.Storage) throws -> Result) throws {
        do {
            try out.print(try body(try ToolCache.existing(folder: folder)))
        } catch {
            throw ErrorReport.exit(for: error, source: nil, out)
        }
    }
}

import ArgumentParser
import Kingfisher

/// `kf cache`: what a cache on disk has, and keeping it in order.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Shows, cleans and verifies a cache on disk.",
        discussion: """
            --cache names the folder that was given to `kf get --cache`, or the folder of any \
            cache that Kingfisher made. An app may use the cache meanwhile.
            """,
        subcommands: [
            CacheStatsCommand.self, CacheListCommand.self, CachePathCommand.self,
            CacheCleanCommand.self, CacheClearCommand.self, CacheVerifyCommand.self,
        ]
    )
}

/// What all commands on caches are told.
struct CacheOptions: ParsableArguments {
    @Option(
        name: .customLong("cache"),
        help: ArgumentHelp("The folder of the cache; kf's own by default.", valueName: "dir")
    )
    var folder: String?

    @Flag(help: "Print one line of JSON.")
    var json = false

    /// Opens the cache, does something with it, and prints what it gives.
    func run<Report: CacheReport>(_ body: (ToolCache.Storage) throws -> Report) throws {
        do {
            let report = try body(try ToolCache.existing(folder: folder))
            print(json ? try report.jsonLine() : report.summary())
        } catch {
            throw ErrorReport.exit(for: error)
        }
    }
}

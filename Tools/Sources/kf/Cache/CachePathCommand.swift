import ArgumentParser
import Foundation
import Kingfisher

/// `kf cache path`.
struct CachePathCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Prints the file of a key, if the cache has it.",
        discussion: """
            One line for each file, should the key be cached with several extensions. What has \
            expired is not there.
            """
    )

    @Argument(help: "The key as `kf cache list` shows it: the URL, then @ and the processor.")
    var key: String

    @OptionGroup var options: CacheOptions

    func run() async throws {
        try options.run { storage in
            let entries = storage.entries.map(CacheEntryReport.init)
                .filter { $0.title == key && !$0.isExpired }
            if entries.isEmpty {
                let variants = storage.entries.count { $0.key?.hasPrefix(key + "@") ?? false }
                throw Failure(
                    "nothing valid is cached for \(key)"
                        + (variants > 0 ? " as it is, but for \(variants) with a processor" : "")
                )
            }
            return Report(entries: entries)
        }
    }

    struct Report: CacheReport {
        let entries: [CacheEntryReport]

        func summary() -> String { entries.map(\.path).joined(separator: "\n") }
    }
}

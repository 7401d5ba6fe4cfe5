import ArgumentParser
import Foundation
import Kingfisher

/// `kf cache verify`.
struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compares every file of a cache with its checksum.",
        discussion: """
            Exits with 1 if a damaged entry was found and not removed.

            Examples:
              kf cache verify
              kf cache verify --repair --cache thumbnails
            """
    )

    @Flag(help: "Remove damaged entries, so that they are loaded again when needed.")
    var repair = false

    @OptionGroup var options: CacheOptions

    func run() async throws {
        var isLeftDamaged = false
        try options.run { storage in
            let count = storage.statistics.count
            let damaged = storage.verify(repairing: repair).map(CacheEntryReport.init)
            isLeftDamaged = !damaged.isEmpty && !repair
            return Result(checked: count, damaged: damaged, repaired: repair)
        }
        if isLeftDamaged { throw ExitCode.failure }
    }

    struct Result: Report {
        let checked: Int
        let damaged: [CacheEntryReport]
        let repaired: Bool

        func summary() -> String {
            if checked == 0 { return "The cache is empty." }
            let all = Readable.count(checked, "entry", "entries")
            guard !damaged.isEmpty else { return "Checked \(all); all are intact." }
            let outcome = repaired ? "removed" : "--repair removes them"
            return
                (damaged.map { "damaged  \(Terminal.line($0.title))" }
                + ["Checked \(all); \(damaged.count) damaged (\(outcome))."])
                .joined(separator: "\n")
        }
    }
}

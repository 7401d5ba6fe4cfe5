import ArgumentParser
import Foundation
import Kingfisher

/// `kf cache list`.
struct CacheListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the entries of a cache, most recently used first.",
        discussion: """
            Examples:
              kf cache list
              kf cache list --cache thumbnails --json
            """
    )

    @OptionGroup var options: CacheOptions

    func run() async throws {
        try options.run { storage in
            Result(entries: storage.entries.reversed().map(CacheEntryReport.init))
        }
    }

    struct Result: Report {
        let entries: [CacheEntryReport]

        func summary() -> String {
            if entries.isEmpty { return "The cache is empty." }
            let now = Date()
            let rows = entries.map { entry in
                let expires = entry.expiration.map { Readable.distance(from: now, to: $0) }
                return [
                    Readable.bytes(entry.bytes), Readable.moment(entry.lastAccess),
                    entry.isExpired ? "expired" : expires ?? "never", Terminal.line(entry.title),
                ]
            }
            return Table.lines([["size", "last used (UTC)", "expires", "key"]] + rows)
                .joined(separator: "\n")
        }
    }
}

/// Formats columns of text.
enum Table {
    /// Aligns the columns of the rows.
    ///
    /// The first one, which holds sizes, is aligned to the right.
    static func lines(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return rows.map { row in
            row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - row[column].count)
                if column == 0 { return space + row[column] }
                return column == row.count - 1 ? row[column] : row[column] + space
            }
            .joined(separator: "  ")
        }
    }
}

import Foundation

/// The table of results by image and pass.
enum DemoTable {
    /// The lines of the table; the first is the heading.
    static func lines(_ loads: [DemoLoad], passes: [DemoPass]) -> [String] {
        var rows = [["image", "variant"] + passes.map(\.title)]
        var last: URL?
        for load in loads {
            let size = load.size.map { " \($0.width)×\($0.height)" } ?? ""
            let picture = load.url == last ? "" : load.picture + size
            last = load.url
            rows.append([picture, load.variant.detail] + load.passes.map(\.text))
        }
        let columns = rows[0].indices.map { column in
            rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
        }
        var lines = rows.map { row in
            zip(row, columns)
                .map { $0 + String(repeating: " ", count: $1 - $0.count) }
                .joined(separator: "   ")
                .replacing(/\s+$/, with: "")
        }
        lines.insert(
            columns.map { String(repeating: "─", count: $0) }.joined(separator: "   "),
            at: 1
        )
        return lines
    }
}

import Foundation
@_spi(Programs) import Kingfisher

/// Recorded loads as a self-contained HTML page.
enum TracePage {
    /// A load: one row of the page, with times in milliseconds.
    private struct Row {
        var key: String
        var processor: String
        var start: Double
        var end: Double
        var bars: [(stage: String, start: Double, end: Double)] = []
        /// The reasons of misses and the result, in order.
        var notes: [String] = []
        var isFailed = false
        var open: [LoadEvent.Stage: Double] = [:]

        mutating func add(_ event: LoadEvent, at time: Double) {
            end = time
            switch event.kind {
            case .began(let stage): open[stage] = time
            case .ended(let stage):
                if let began = open.removeValue(forKey: stage) {
                    bars.append((stage.rawValue, began, time))
                }
            case .failed: isFailed = true
            default: break
            }
            if let note = TracePage.note(event.kind) { notes.append(note) }
        }
    }

    /// Writes the page.
    ///
    /// - Parameters:
    ///   - events: The recorded events.
    ///   - failures: A line for each load that failed, also for those that had no events because
    ///     their source could not be opened.
    /// - Returns: HTML.
    static func html(_ events: [LoadEvent], _ failures: [String]) -> String {
        let rows = rows(events)
        let span = max(0.001, rows.map(\.end).max() ?? 0)
        let title =
            "\(Readable.count(rows.count, "load", "loads")) in \(Readable.milliseconds(span))"
        return """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(escaped(title))</title>
            <style>\(style)</style>
            <h1>\(escaped(title))</h1>
            <p class="legend">\(legend)</p>
            <div class="axis">\(axis(span))</div>
            \(rows.map { html($0, span) }.joined(separator: "\n"))
            \(html(failures))
            </html>

            """
    }

    // MARK: - Rows

    /// The events of each load, in the order in which the loads began.
    private static func rows(_ events: [LoadEvent]) -> [Row] {
        var order: [UInt64] = []
        var rows: [UInt64: Row] = [:]
        for event in events {
            let time = LoadReport.Timings.milliseconds(event.time)
            if rows[event.load] == nil {
                order.append(event.load)
                rows[event.load] = Row(
                    key: event.key,
                    processor: event.processor,
                    start: time,
                    end: time
                )
            }
            rows[event.load]?.add(event, at: time)
        }
        return order.compactMap { rows[$0] }
    }

    private static func note(_ kind: LoadEvent.Kind) -> String? {
        switch kind {
        case .started, .began, .ended: nil
        case .hit(.none): "the original is cached"
        case .hit(let layer): "\(layer): hit"
        case .miss(let layer, let reason):
            "\(layer == .none ? "original" : "\(layer)"): \(MissText.text(reason))"
        case .sharedStorage(let answer, _): "shared storage: \(answer.rawValue)"
        case .restarted(let source, let error):
            "next attempt, \(LibraryErrorText.shown(source.cacheKey)), because "
                + ErrorReport.reason(for: error)
        case .succeeded(.none): "loaded from the source"
        case .succeeded(let layer): "came from \(layer)"
        case .failed(let error): "failed: " + ErrorReport.reason(for: error)
        }
    }

    // MARK: - HTML

    private static func html(_ row: Row, _ span: Double) -> String {
        let place = { (time: Double) in String(format: "%.3f%%", 100 * time / span) }
        let bars = row.bars.map { bar in
            let time = Readable.milliseconds(bar.end - bar.start)
            return "<i class=\"\(bar.stage)\" title=\"\(bar.stage) \(escaped(time))\" "
                + "style=\"left:\(place(bar.start));width:\(place(bar.end - bar.start))\"></i>"
        }
        let total = Readable.milliseconds(row.end - row.start)
        let steps = row.processor.isEmpty ? "" : " <small>\(escaped(row.processor))</small>"
        let stages = row.bars.map { "\($0.stage) \(Readable.milliseconds($0.end - $0.start))" }
        return """
            <section\(row.isFailed ? " class=\"failed\"" : "")>
            <h2><b>\(escaped(total))</b>\(escaped(title(row.key)))\(steps)</h2>
            <div class="track">\(bars.joined())</div>
            <p>\(escaped((row.notes + stages).joined(separator: " · ")))</p>
            </section>
            """
    }

    private static func html(_ failures: [String]) -> String {
        guard !failures.isEmpty else { return "" }
        let items = failures.map { "<p>\(escaped($0))</p>" }
        return """
            <section class="failed">
            <h2>\(Readable.count(failures.count, "load", "loads")) failed</h2>
            \(items.joined(separator: "\n"))
            </section>
            """
    }

    /// The key for the page, without the date and size that a file's key contains.
    private static func title(_ key: String) -> String {
        let file = "kingfisher.local.cacheKey/"
        guard key.hasPrefix(file), let end = key.lastIndex(of: "#") else {
            return LibraryErrorText.shown(key)
        }
        // The path begins with a slash of its own.
        return LibraryErrorText.shown("file:/" + key[..<end].dropFirst(file.count))
    }

    private static var legend: String {
        LoadEvent.Stage.allCases.map { "<i class=\"\($0.rawValue)\"></i>\($0.rawValue)" }
            .joined(separator: " ")
    }

    /// Five times along the axis.
    private static func axis(_ span: Double) -> String {
        (0...4).map { index in
            let share = Double(index) / 4
            let time = index == 0 ? "0" : Readable.milliseconds(span * share)
            return "<span style=\"left:\(share * 100)%\">\(escaped(time))</span>"
        }
        .joined()
    }

    private static let style = """
        :root{color-scheme:light dark}
        body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
        h1{font-size:1.4rem}h2{font-size:1rem;font-weight:600;margin:0;overflow-wrap:anywhere}
        h2 small{font-weight:400;opacity:.7}h2 b{float:right;margin-left:1rem}
        section{margin:1.2rem 0}section p{margin:.2rem 0;font-size:.9rem;opacity:.8}
        .failed h2{color:#c0392b}
        .track{position:relative;height:16px;background:#8882;border-radius:3px}
        .track i{position:absolute;top:0;bottom:0;min-width:2px;border-radius:3px}
        .legend i{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin:0 .3em 0 1em}
        .axis{position:relative;height:1.5rem;font-size:.8rem;opacity:.7}
        .axis span{position:absolute;transform:translateX(-50%);white-space:nowrap}
        .axis span:first-child{transform:none}.axis span:last-child{transform:translateX(-100%)}
        .lookup{background:#7f8c8d}.fetch{background:#2980b9}.process{background:#e67e22}
        .store{background:#27ae60}
        """

    private static func escaped(_ text: String) -> String {
        Terminal.line(text.disclosing(.path)).replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(of: ">", with: "&gt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
    }
}

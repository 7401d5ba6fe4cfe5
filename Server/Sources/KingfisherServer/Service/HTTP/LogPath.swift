/// Paths in logs, reports and traces.
enum LogPath {
    /// Options whose arguments are sources or texts, which may be secret.
    private static let hidden: Set = ["watermark_url", "fallback_image_url", "watermark_text"]

    /// The options of a path, at most 200 characters.
    ///
    /// The source and the query are left out, because they may contain keys, and so is all of a
    /// signature but its beginning: a trusted signature opens every URL.
    static func shown(_ path: String) -> String {
        let segments = path.prefix { $0 != "?" }.split(separator: "/")
        guard let first = segments.first else { return "/" }
        var kept = [first.count > 8 ? "\(first.prefix(4))…" : String(first)]
        for segment in segments.dropFirst() {
            let name = segment.prefix { $0 != ":" }
            let isOption = segment != name && isKnown(String(name))
            guard isOption || segment == "info" else { break }
            let isHidden = URLOption.named(String(name)).map { hidden.contains($0.name) } ?? false
            kept.append(isHidden ? "\(name):…" : String(segment))
        }
        let shown = "/" + kept.joined(separator: "/")
        return shown.count > 200 ? "\(shown.prefix(200))…" : shown
    }

    private static func isKnown(_ name: String) -> Bool {
        URLOption.named(name) != nil || PresetDefinitions.optionNames.contains(name)
    }
}

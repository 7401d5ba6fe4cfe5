/// Paths in the log.
enum LogPath {
    /// The part of a path before the source and the query, which may contain keys; at most 200
    /// characters.
    static func shown(_ path: String) -> String {
        let path = path.prefix { $0 != "?" }
        var kept: [Substring] = []
        for segment in path.split(separator: "/") {
            if segment == "plain" { break }
            // The signature, `info` and options; a Base64 source has no colon.
            guard kept.isEmpty || segment == "info" || segment.contains(":") else { break }
            kept.append(segment)
        }
        let shown = "/" + kept.joined(separator: "/")
        return shown.count > 200 ? "\(shown.prefix(200))…" : shown
    }
}

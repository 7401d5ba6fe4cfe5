import Foundation

/// The addresses at which servers offer HTTP/3 (`Alt-Svc`, RFC 7838), in libcurl's file.
///
/// libcurl tries an alternative for every request and fails with it. One that was not reached is
/// removed from the file and not used for a while, as the server will offer it again. Used only on
/// the loop's thread.
final class CurlAlternatives {
    /// How long connecting to an alternative may take; the server itself is then tried.
    static let patience = Duration.seconds(3)
    private static let firstPause = Duration.seconds(5 * 60)
    private static let longestPause = Duration.seconds(86_400)
    /// A crawler connects to very many servers.
    private static let maxPauses = 1024

    let file: String
    private var pauses: [String: (end: CurlTime, length: Duration)] = [:]

    init(file: String) {
        self.file = file
    }

    /// Whether the alternative of an origin may be used.
    func mayUse(_ origin: String, at time: CurlTime) -> Bool {
        pauses[origin].map { $0.end <= time } ?? true
    }

    /// Whether a URL's server has an alternative.
    func contains(_ url: URL) -> Bool {
        lines.contains { Self.isEntry($0, of: url) }
    }

    /// Forgets the alternative of a URL's server, and does not use another one for a while.
    func fail(_ url: URL, of origin: String, at time: CurlTime) {
        let length = pauses[origin].map { min($0.length * 2, Self.longestPause) }
        if pauses.count >= Self.maxPauses { pauses = pauses.filter { $0.value.end > time } }
        if pauses.count < Self.maxPauses || pauses[origin] != nil {
            let pause = length ?? Self.firstPause
            pauses[origin] = (time + pause, pause)
        }
        let kept = lines.filter { !Self.isEntry($0, of: url) }
        // If it cannot be written, the next process tries the alternative once.
        try? Data(kept.map { $0 + "\n" }.joined().utf8)
            .write(to: URL(fileURLWithPath: file), options: .atomic)
    }

    private var lines: [Substring] {
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        return text?.split(separator: "\n") ?? []
    }

    /// A line begins with protocol, host and port of the server: `h2 example.com 443 h3 …`.
    private static func isEntry(_ line: Substring, of url: URL) -> Bool {
        let words = line.split(separator: " ", maxSplits: 3)
        return words.count == 4 && words[1].lowercased() == url.host?.lowercased()
            && words[2] == "\(url.effectivePort)"
    }
}

import Foundation
import Logging

/// Logs problems through swift-log.
///
/// Problems that no caller learns of are warnings. Errors that a caller receives, such as that of a
/// failed load, are logged at the debug level, because the caller decides whether they matter. User
/// names and passwords are removed from URLs.
enum Log {
    /// Logs a problem that is reported to no caller.
    static func warning(_ text: @autoclosure () -> String, key: String) {
        write(.warning, text(), key)
    }

    /// Logs an error that a caller receives as well.
    static func debug(_ text: @autoclosure () -> String, key: String) {
        write(.debug, text(), key)
    }

    private static func write(
        _ level: Logger.Level,
        _ text: @autoclosure () -> String,
        _ key: String
    ) {
        // Made on each call, which is cheap for rare events: a logging system that the program sets
        // up after the first load is still used.
        Logger(label: "com.onevcat.Kingfisher").log(
            level: level,
            "\(text().withoutUsers)",
            metadata: ["key": "\(key.withoutUsers)"]
        )
    }
}

extension String {
    /// The text without the user names and passwords of the URLs in it; they must not appear in
    /// messages.
    ///
    /// Cache keys are usually URLs, so texts with keys need this too.
    var withoutUsers: String {
        var result = ""
        var rest = self[...]
        while let scheme = rest.range(of: "://") {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { !"/?#\"”“ \n".contains($0) }
            guard let end = authority.lastIndex(of: "@") else { continue }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}

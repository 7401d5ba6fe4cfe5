import Foundation
import Logging

/// Logs problems through swift-log.
///
/// Problems that no caller learns of are warnings. Errors that a caller receives, such as that of a
/// failed load, are logged at the debug level, because the caller decides whether they matter.
/// Events that are no problem, such as misses, are logged at that level, too: `kf` reports every warning
/// as a cache that cannot be used. User names, passwords and queries are removed from URLs.
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
            "\(text().disclosing(.path))",
            metadata: ["key": "\(key.disclosing(.path))"]
        )
    }
}

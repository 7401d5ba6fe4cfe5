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
        // By bytes, because a combining character after the slashes would hide them.
        guard utf8.contains(UInt8(ascii: "@")) else { return self }
        var result: [UInt8] = []
        var rest = Array(utf8)[...]
        while !rest.isEmpty {
            guard rest.starts(with: "://".utf8) else {
                result.append(rest.removeFirst())
                continue
            }
            result += rest.prefix(3)
            rest = rest.dropFirst(3)
            let end = rest.indices.first { rest[$0...].beginsAfterAuthority } ?? rest.endIndex
            guard let at = rest[..<end].lastIndex(of: UInt8(ascii: "@")) else { continue }
            rest = rest[(at + 1)...]
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension ArraySlice<UInt8> {
    /// Whether the text begins with a character that ends the authority of a URL in a message.
    fileprivate var beginsAfterAuthority: Bool {
        "/?#\" \n".utf8.contains(self[startIndex]) || starts(with: "”".utf8)
            || starts(with: "“".utf8)
    }
}

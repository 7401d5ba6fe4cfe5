import Logging

/// Says what goes wrong behind the back of everybody, through swift-log.
///
/// What a caller is told, such as the failure of its load, is at the level of debugging, because
/// the caller decides whether it matters. Names and passwords in URLs are left out.
enum Log {
    /// Something that nobody else hears of.
    static func warning(_ text: @autoclosure () -> String, key: String) {
        write(.warning, text(), key)
    }

    /// Something that a caller hears of, too.
    static func debug(_ text: @autoclosure () -> String, key: String) {
        write(.debug, text(), key)
    }

    private static func write(
        _ level: Logger.Level,
        _ text: @autoclosure () -> String,
        _ key: String
    ) {
        // Made each time, which costs little for what is rare: an app that sets the logging system
        // up after its first load is heeded.
        Logger(label: "com.onevcat.Kingfisher").log(
            level: level,
            "\(text().withoutUsers)",
            metadata: ["key": "\(key.withoutUsers)"]
        )
    }
}

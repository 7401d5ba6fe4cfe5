import Logging
import Synchronization

/// Filters the library's log, which addresses programmers, for users.
///
/// Normally it prints a single note if the cache could not store something; with `--verbose`, every
/// line.
final class LibraryLog: Sendable {
    enum Level {
        case quiet, normal, verbose
    }

    static let shared = LibraryLog()

    private struct State {
        var level = Level.normal
        var isNoted = false
        var hasCacheFailed = false
    }

    private let state = Mutex(State())

    var level: Level {
        get { state.withLock { $0.level } }
        set { state.withLock { $0.level = newValue } }
    }

    /// Whether the cache could not store something, noted or not.
    var hasCacheFailed: Bool { state.withLock { $0.hasCacheFailed } }

    /// Becomes the log handler of the process.
    ///
    /// Call it once.
    func start() {
        LoggingSystem.bootstrap { _ in Handler(log: self) }
    }

    /// Prints a note about the cache; only the first one of a process is printed.
    func noteCache(_ text: String) {
        let isFirst = state.withLock { state in
            defer { state.isNoted = true }
            state.hasCacheFailed = true
            return !state.isNoted && state.level != .quiet
        }
        if isFirst { Terminal.note("kf: note: the cache " + text, style: .yellow) }
    }

    private func add(_ text: String, isWarning: Bool) {
        switch level {
        case .verbose:
            if isWarning { state.withLock { $0.hasCacheFailed = true } }
            Terminal.note(text, style: .dim)
        case .normal where isWarning: noteCache("could not be used in full; --verbose shows why")
        case .normal, .quiet: break
        }
    }

    private struct Handler: LogHandler {
        let log: LibraryLog
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.notice

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        init(log: LibraryLog) { self.log = log }

        func log(event: LogEvent) {
            log.add("\(event.message)", isWarning: event.level >= .warning)
        }
    }
}

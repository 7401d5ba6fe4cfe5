import CDispatch
import Dispatch
import Foundation
@_spi(Server) import Kingfisher
public import Logging
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes the log to standard error: lines for people, `name=value` pairs, or JSON.
///
/// No line shows the query, or the user, of a URL: the function for all texts is the library's
/// `disclosing(_:)`.
///
/// In the journal of systemd every line has its level, which the journal takes off.
///
/// Lines are written in the background. When they are made faster than they can be written, lines
/// beyond 4 MiB are dropped and counted.
public struct ServiceLog: LogHandler {
    /// The lowest level of lines that are written.
    public var logLevel: Logger.Level
    /// Fields of every line.
    public var metadata = Logger.Metadata()
    /// Provides further fields.
    public var metadataProvider: Logger.MetadataProvider?
    private let format: ServiceConfiguration.LogFormat
    private let output: LogOutput
    private let isForJournal: Bool

    /// Makes a handler by a configuration, which writes to standard error.
    public init(_ configuration: ServiceConfiguration) {
        let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"]
        self.init(
            configuration,
            output: .standardError,
            isForJournal: Self.isJournal(2, stream: stream)
        )
    }

    init(_ configuration: ServiceConfiguration, output: LogOutput, isForJournal: Bool = false) {
        self.isForJournal = isForJournal
        logLevel = configuration.operation.logLevel
        format = configuration.operation.logFormat
        self.output = output
    }

    /// A field of every line.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a line.
    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        // The library does not know which sources are encrypted.
        let isOfLibrary =
            event.source.hasPrefix("Kingfisher") && event.source != "KingfisherServer"
        let part: URLDisclosure = isOfLibrary ? .host : .path
        let message = event.message.description.disclosing(part)
        // The service's own lines are one for each request or event; the library's are one for each
        // file, and a full disk concerns every file.
        if isOfLibrary {
            // What follows a colon names the file.
            let kind = String(message.prefix { $0 != ":" })
            guard let skipped = output.skippedBefore(kind) else { return }
            if skipped > 0 { all["skipped"] = .stringConvertible(skipped) }
        }
        let fields = all.map { name, value in
            Field(name: name, text: "\(value)".disclosing(part), isNumber: value.isNumber)
        }.sorted { $0.name < $1.name }
        let mark = isForJournal ? "<\(event.level.priority)>" : ""
        output.write(mark + line(event.level, message, fields))
    }

    /// Whether a file is the stream that systemd passes to the journal.
    ///
    /// - Parameters:
    ///   - file: The descriptor.
    ///   - stream: The variable `JOURNAL_STREAM`: the numbers of the stream's device and file.
    /// - Returns: False also if the file is closed.
    static func isJournal(_ file: Int32, stream: String?) -> Bool {
        var status = stat()
        guard fstat(file, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }

    private struct Field {
        let name: String
        let text: String
        var isNumber = false
    }

    /// Waits until all lines so far are written.
    public func flush() { output.flush() }

    private func line(
        _ level: Logger.Level,
        _ message: String,
        _ fields: [Field]
    ) -> String {
        let time = Date().timeIntervalSince1970
        switch format {
        case .pretty:
            let rest = fields.map { " \($0.name)=\(Self.shown($0.text))" }.joined()
            return "\(LogTime.text(time)) \(level.rawValue.uppercased()) "
                + "\(message.withoutControls)\(rest)\n"
        case .structured:
            return (head(time, level, message) + fields).map {
                "\($0.name)=\(Self.shown($0.text))"
            }.joined(separator: " ") + "\n"
        case .json:
            let pairs = (head(time, level, message) + fields).map { field in
                let value = field.isNumber ? field.text : Self.quoted(field.text)
                return "\(Self.quoted(field.name)):\(value)"
            }
            return "{\(pairs.joined(separator: ","))}\n"
        }
    }

    private func head(_ time: Double, _ level: Logger.Level, _ message: String) -> [Field] {
        [
            Field(name: "time", text: LogTime.text(time)),
            Field(name: "level", text: level.rawValue), Field(name: "message", text: message),
        ]
    }

    /// The text as it is if it is one word, otherwise in quotation marks.
    private static func shown(_ text: String) -> String {
        let isWord = text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x3D && $0 < 0x7F }
        return isWord && !text.isEmpty ? text : quoted(text)
    }

    /// The text as a string of JSON, in which nothing can begin a new line.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += #"\""#
            case "\\": quoted += #"\\"#
            case "\n": quoted += #"\n"#
            case "\r": quoted += #"\r"#
            case "\t": quoted += #"\t"#
            case _
            where scalar.properties.generalCategory == .control
                || scalar.value == 0x2028 || scalar.value == 0x2029:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension Logger.Level {
    /// The priority of syslog.
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

extension Logger.MetadataValue {
    /// Whether the value is a number that JSON can write.
    fileprivate var isNumber: Bool {
        guard case .stringConvertible(let value) = self else { return false }
        return value is Int || (value as? Double)?.isFinite ?? false
    }
}

/// The destination of log lines.
final class LogOutput: Sendable {
    /// The process's standard error.
    static let standardError = LogOutput { bytes in
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { writeBytes(2, $0.baseAddress, $0.count) }
            // A log that cannot be written must not end the service.
            if count < 0, errno != EINTR { return }
            rest = rest.dropFirst(max(0, count))
        }
    }

    private struct State {
        var bytes: [UInt8] = []
        var isScheduled = false
        var dropped = 0
    }

    /// The recent lines with one message.
    private struct Recent {
        var start: ContinuousClock.Instant
        var skipped = 0
    }

    private static let limit = 4 << 20
    private static let quietTime = Duration.seconds(10)
    private let state = Mutex(State())
    private let recent = Mutex<[String: Recent]>([:])
    private let queue = DispatchQueue(label: "kf-serve.log")
    private let sink: @Sendable ([UInt8]) -> Void

    /// Makes a destination.
    ///
    /// - Parameter sink: Takes whole lines, in order, one call at a time.
    init(_ sink: @escaping @Sendable ([UInt8]) -> Void) { self.sink = sink }

    func write(_ line: String) {
        let schedules = state.withLock { state in
            guard state.bytes.count < Self.limit else {
                state.dropped += 1
                return false
            }
            state.bytes += Array(line.utf8)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if schedules { queue.async { self.drain() } }
    }

    /// The number of skipped lines before the next one with a message; nil to skip it too.
    ///
    /// One line of a message is written in ten seconds.
    func skippedBefore(_ message: String, at now: ContinuousClock.Instant = .now) -> Int? {
        recent.withLock { recent in
            if let own = recent[message], now - own.start < Self.quietTime {
                recent[message]?.skipped += 1
                return nil
            }
            let skipped = recent[message]?.skipped ?? 0
            // The library has few messages; others do not fill the memory.
            if recent.count >= 100 { recent = [:] }
            recent[message] = Recent(start: now)
            return skipped
        }
    }

    func flush() { queue.sync { drain() } }

    private func drain() {
        let (bytes, dropped) = state.withLock { state in
            defer { state = State() }
            return (state.bytes, state.dropped)
        }
        if !bytes.isEmpty { sink(bytes) }
        if dropped > 0 { sink(Array("\(dropped) lines of the log were dropped\n".utf8)) }
    }
}

/// Times of log lines.
enum LogTime {
    /// A time in seconds since 1970 as `2026-01-31T12:00:00.123Z`.
    static func text(_ time: TimeInterval) -> String {
        let milliseconds = Int(time * 1000)
        var (seconds, parts) = (time_t(milliseconds / 1000), tm())
        gmtime_r(&seconds, &parts)
        func padded(_ number: Int32, _ width: Int = 2) -> String {
            let digits = "\(number)"
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        return "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
            + "T\(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec))"
            + ".\(padded(Int32(milliseconds % 1000), 3))Z"
    }
}

extension String {
    /// The text with spaces in place of control characters, so that it stays on its line.
    fileprivate var withoutControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
            )
        )
    }
}

/// Calls the system's `write`, which the output's method shadows.
private func writeBytes(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(file, bytes, count)
}

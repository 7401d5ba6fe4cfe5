import Foundation
import Kingfisher
import Logging

/// The textual form of a kind of values.
struct ConfigurationFormat<Value: Sendable>: Sendable {
    /// The accepted values, for messages: “expected …”.
    let expected: String
    /// The value of a text; nil if it is malformed.
    let parse: @Sendable (String) -> Value?
    /// The text of a value.
    let text: @Sendable (Value) -> String

    /// The format of a value that may be missing; an empty text is none.
    var optional: ConfigurationFormat<Value?> {
        ConfigurationFormat<Value?>(
            expected: expected,
            parse: { text in text.isEmpty ? .some(nil) : parse(text).map { .some($0) } },
            text: { $0.map(text) ?? "" }
        )
    }

    /// A list with commas; spaces around elements are ignored.
    static func list<Element>(
        of format: ConfigurationFormat<Element>
    ) -> ConfigurationFormat where Value == [Element] {
        ConfigurationFormat(
            expected: "a list with commas of: \(format.expected)",
            parse: { text in
                let parts = text.split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
                let values = parts.compactMap(format.parse)
                // A lone comma must not mean that everything is allowed.
                return values.count == parts.count && !values.isEmpty || text.isEmpty
                    ? values : nil
            },
            text: { $0.map(format.text).joined(separator: ",") }
        )
    }
}

extension ConfigurationFormat<Bool> {
    /// Yes or no.
    static let flag = ConfigurationFormat(
        expected: "1, t or true, or 0, f or false",
        parse: {
            switch $0.lowercased() {
            case "1", "t", "true": true
            case "0", "f", "false": false
            default: nil
            }
        },
        text: { $0 ? "true" : "false" }
    )
}

extension ConfigurationFormat<Int> {
    /// A whole number within a range.
    static func integer(_ range: ClosedRange<Int>) -> ConfigurationFormat {
        ConfigurationFormat(
            expected: range.upperBound == .max
                ? "a whole number of at least \(range.lowerBound)"
                : "a whole number from \(range.lowerBound) to \(range.upperBound)",
            parse: { text in Int(text).flatMap { range.contains($0) ? $0 : nil } },
            text: { "\($0)" }
        )
    }

    /// A number of bytes, optionally with one of the units K, M and G (of 1024).
    static let bytes = ConfigurationFormat(
        expected: "a number of bytes, optionally followed by K, M or G",
        parse: { text in
            let shifts: [Character: Int] = ["K": 10, "M": 20, "G": 30]
            let shift = text.uppercased().last.flatMap { shifts[$0] }
            guard let number = Int(shift == nil ? text[...] : text.dropLast()), number >= 0 else {
                return nil
            }
            let (bytes, overflows) = number.multipliedReportingOverflow(by: 1 << (shift ?? 0))
            return overflows ? nil : bytes
        },
        text: { "\($0)" }
    )
}

extension ConfigurationFormat<Double> {
    /// A number within a range.
    static func number(_ range: ClosedRange<Double>) -> ConfigurationFormat {
        ConfigurationFormat(
            expected: "a number from \(range.lowerBound) to \(range.upperBound)",
            parse: { text in Double(text).flatMap { range.contains($0) ? $0 : nil } },
            text: { "\($0)" }
        )
    }
}

extension ConfigurationFormat<Duration> {
    /// Seconds, at most a day.
    ///
    /// Ten milliseconds are shorter than any use, and long enough for timers.
    static let seconds = seconds(upTo: 86_400)

    /// Seconds, at most ten years.
    static let lifetime = seconds(upTo: 315_360_000)

    private static func seconds(upTo most: Int) -> ConfigurationFormat {
        ConfigurationFormat(
            expected: "a number of seconds from 0.01 to \(most)",
            parse: { text in
                guard let seconds = Double(text), (0.01...Double(most)).contains(seconds) else {
                    return nil
                }
                return .seconds(seconds)
            },
            text: { "\($0 / .seconds(1))" }
        )
    }
}

extension ConfigurationFormat<String> {
    /// Any text on one line.
    static let text = ConfigurationFormat(
        expected: "text without control characters",
        parse: { $0.isHeaderValue ? $0 : nil },
        text: { $0 }
    )

    /// A word that clients send in a header field, where white space around it is lost.
    static let token = ConfigurationFormat(
        expected: "text without control characters and without white space around it",
        parse: { $0.isHeaderValue && !$0.isEmpty && $0.trimmed == $0 ? $0 : nil },
        text: { $0 }
    )

    /// A path that begins with a slash; without one at the end.
    static let absolutePath = ConfigurationFormat(
        expected: "a path that begins with a slash",
        parse: { text in
            guard text.hasPrefix("/"), text.isHeaderValue else { return nil }
            return text.count > 1 && text.hasSuffix("/") ? String(text.dropLast()) : text
        },
        text: { $0 }
    )

    /// The name of a header field that may be passed on.
    ///
    /// A cookie is for one client, while a result with its fields is kept for all.
    static let headerName = ConfigurationFormat(
        expected: "the name of a header field, and none of a message itself like Content-Length, "
            + "nor Set-Cookie",
        parse: { text in
            let name = text.lowercased()
            return name.isHeaderName && !name.describesMessage && name != "set-cookie" ? name : nil
        },
        text: { $0 }
    )
}

extension ConfigurationFormat<[[UInt8]]> {
    /// Keys as hexadecimal digits.
    ///
    /// Unlike in other lists, an empty element is an error: a lone comma must not mean that there
    /// are no keys.
    static let keys = ConfigurationFormat(
        expected: "an even number of hexadecimal digits, or several such keys with commas",
        parse: { text in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let keys = parts.compactMap { Hexadecimal.bytes($0.trimmed) }.filter { !$0.isEmpty }
            return keys.count == parts.count ? keys : nil
        },
        text: { $0.map { Hexadecimal.text(of: $0) }.joined(separator: ",") }
    )
}

extension ConfigurationFormat<Data> {
    /// A file in Base64.
    static let base64 = ConfigurationFormat(
        expected: "a file in Base64",
        parse: { Data(base64Encoded: $0) },
        text: { $0.base64EncodedString() }
    )
}

extension ConfigurationFormat<URL> {
    /// An address on a web server.
    static let webAddress = ConfigurationFormat(
        expected: "a URL that begins with http:// or https://",
        parse: { text in
            guard let url = URL(string: text), url.host != nil else { return nil }
            return ["http", "https"].contains(url.scheme?.lowercased()) ? url : nil
        },
        text: { $0.absoluteString }
    )
}

extension ConfigurationFormat<OutputFormat> {
    /// A format of results; `jpeg` is `jpg`.
    static let format = ConfigurationFormat(
        expected: OutputFormat.allCases.map(\.rawValue).joined(separator: ", "),
        parse: { OutputFormat(rawValue: $0.lowercased() == "jpeg" ? "jpg" : $0.lowercased()) },
        text: { $0.rawValue }
    )
}

extension ConfigurationFormat<[OutputFormat: Int]> {
    /// Qualities by format.
    static let formatQualities = ConfigurationFormat(
        expected: "a list such as webp=79,avif=63",
        parse: { text in
            var qualities: [OutputFormat: Int] = [:]
            for part in text.split(separator: ",") {
                let sides = part.split(separator: "=").map(\.trimmed)
                guard sides.count == 2,
                    let format = ConfigurationFormat<OutputFormat>.format.parse(sides[0]),
                    let quality = Int(sides[1]), (1...100).contains(quality)
                else { return nil }
                qualities[format] = quality
            }
            return qualities
        },
        text: { qualities in
            qualities.map { "\($0.rawValue)=\($1)" }.sorted().joined(separator: ",")
        }
    )
}

extension ConfigurationFormat<[HeaderField]> {
    /// Header fields as `Name=value`, separated by `\;`.
    static let headerFields = ConfigurationFormat(
        expected: #"header fields such as Name=value\;Other=value, and none like Content-Length"#,
        parse: { text in
            let parts = text.components(separatedBy: #"\;"#).filter { !$0.isEmpty }
            let fields = parts.compactMap { part -> HeaderField? in
                let sides = part.split(separator: "=", maxSplits: 1).map(\.trimmed)
                guard sides.count == 2, sides[0].isHeaderName, !sides[0].describesMessage,
                    sides[1].isHeaderValue
                else { return nil }
                return HeaderField(name: sides[0], value: sides[1])
            }
            return fields.count == parts.count ? fields : nil
        },
        text: { $0.map { "\($0.name)=\($0.value)" }.joined(separator: #"\;"#) }
    )
}

extension ConfigurationFormat<ListenAddress> {
    /// An address to listen at.
    static let listenAddress = ConfigurationFormat(
        expected: "host:port, :port, or unix: and the path of a socket of at most 107 bytes",
        parse: { ListenAddress($0) },
        text: { $0.description }
    )
}

extension ConfigurationFormat
where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of a few words.
    static var word: ConfigurationFormat {
        ConfigurationFormat(
            expected: Value.allCases.map(\.rawValue).joined(separator: ", "),
            parse: { Value(rawValue: $0.lowercased()) },
            text: { $0.rawValue }
        )
    }
}

extension ConfigurationFormat<Logger.Level> {
    /// A level of logs by the names of the environment.
    static let logLevel = ConfigurationFormat(
        expected: "debug, info, warn or error",
        parse: { text in
            let level = text.lowercased()
            return level == "warn" ? .warning : Logger.Level(rawValue: level)
        },
        text: { $0 == .warning ? "warn" : $0.rawValue }
    )
}

extension StringProtocol {
    var trimmed: String { trimmingCharacters(in: .whitespaces) }

    /// Whether it can be the value of a header field: printable characters only.
    var isHeaderValue: Bool { utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }

    /// Whether it is the name of a field that describes one message or its connection; with the
    /// value of another message, the client could not read it.
    var describesMessage: Bool {
        let names: Set = [
            "connection", "content-encoding", "content-length", "content-range", "host",
            "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        ]
        return names.contains(lowercased())
    }

    /// Whether it can be the name of a header field (RFC 9110, 5.1).
    var isHeaderName: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                let scalar = Unicode.Scalar(byte)
                return scalar.isASCII
                    && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte)
                        || "!#$%&'*+-.^_`|~".utf8.contains(byte))
            }
    }
}

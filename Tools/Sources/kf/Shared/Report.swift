import Foundation
@_spi(Programs) import Kingfisher

/// The result of a command: a JSON object for programs, text for people.
protocol Report: Encodable {
    /// The text for people.
    func summary() -> String

    /// The field `status` of the JSON object.
    var lineStatus: String { get }
}

extension Report {
    var lineStatus: String { "done" }
}

/// A report as it is printed: with the field that every line has.
struct ReportLine<Content: Report>: Encodable {
    let report: Content

    private enum CodingKeys: CodingKey {
        case status
    }

    func encode(to encoder: any Encoder) throws {
        try report.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(report.lineStatus, forKey: .status)
    }
}

/// A failure in the output of `--json`: a line like those of successes, which have other fields.
struct FailureReport: Report {
    /// As it was given on the command line, but of a URL without its query; nil if the failure is not
    /// that of one source.
    let source: String?
    /// The line that standard error has, too.
    let error: String

    init(_ error: any Error, source: String?) {
        self.source = source?.disclosing(.path)
        self.error = ErrorReport.line(for: error, source: source)
    }

    private enum CodingKeys: CodingKey {
        case source, error
    }

    func summary() -> String { error }

    var lineStatus: String { "failed" }
}

extension Report {
    /// One line of JSON with sorted fields and dates in UTC, without users and passwords of URLs.
    ///
    /// Control characters that JSON allows but terminals interpret are escaped, too.
    func jsonLine() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let line = String(decoding: try encoder.encode(ReportLine(report: self)), as: UTF8.self)
        return line.disclosing(.query).unicodeScalars.reduce(into: "") { result, scalar in
            guard case 0x7F..<0xA0 = scalar.value else {
                return result.unicodeScalars.append(scalar)
            }
            result += String(format: "\\u%04x", scalar.value)
        }
    }
}

package import Foundation

/// A response without its body, with the time of its request: what decides how long it is fresh.
package struct HTTPAnswer: Sendable, Codable, Equatable {
    struct Field: Sendable, Codable, Equatable {
        let name: String
        let value: String
    }

    package let statusCode: Int
    /// The URL of the request that it answered.
    package let url: URL
    /// When the request was sent.
    ///
    /// Ages count from here rather than from the arrival, which makes them too great if anything.
    let time: Date
    private var fields: [Field]
    /// The requests that it is for: their values of the fields that `Vary` names, in lower case;
    /// nil for a missing field.
    private(set) var selecting: [[String: String?]]

    /// A 404 or 410 without a lifetime: long enough for a list that scrolls, short enough for
    /// someone who uploads the image.
    static let negativeLifetime: TimeInterval = 60
    /// The cap of the usual guess, a tenth of the time since the last change (RFC 9111, 4.2.2).
    ///
    /// A permanent redirect gets all of it.
    static let longestGuess: TimeInterval = 86_400
    /// A confirmation for another request adds that one (RFC 9111, 4.1); the oldest leaves.
    private static let maxSelecting = 4

    /// Remembers a response; nil if it must not be stored, or is not worth it.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - time: When the request was sent.
    ///   - value: The value that the request had for a field.
    package init?(
        _ response: TransferResponse,
        time: Date,
        requestField value: (String) -> String?
    ) {
        statusCode = response.statusCode
        url = response.url
        self.time = time
        fields = Self.kept(response)
        selecting = []
        selecting = [selection(value)]
        guard isStorable else { return nil }
    }

    // Others are about the connection, or can be secrets.
    private static let keptNames: Set<String> = [
        "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "vary",
    ]

    private static func kept(_ response: TransferResponse) -> [Field] {
        response.fields.filter { keptNames.contains($0.name.lowercased()) }
            .map { Field(name: $0.name.lowercased(), value: $0.value) }
    }

    // MARK: What is stored (RFC 9111, 3)

    /// Final statuses that are fresh by a guess, too (RFC 9110, 15.1).
    private static let guessed: Set = [200, 203, 300, 301, 308, 404, 405, 410, 414, 501]
    /// Failures of the moment or of the caller; a retry must get through to the server.
    private static let momentary: Set = [
        401, 402, 403, 407, 408, 409, 412, 416, 417, 421, 423, 424, 425, 426, 428, 429, 431,
    ]

    private var isUnderstood: Bool {
        Self.guessed.contains(statusCode) || RedirectRules.statuses.contains(statusCode)
    }

    private var isStorable: Bool {
        let control = control
        // `no-store` beside it is for caches that do not know the directive (RFC 9111, 5.2.2.3).
        if control.mustUnderstand ? !isUnderstood : control.isNoStore { return false }
        return switch statusCode {
        case 206: false
        case 200..<300, 300, 501: isWorthStoring
        case 400..<500: isWorthStoring && !Self.momentary.contains(statusCode)
        // Kept without a lifetime, too: the chain is asked for again from there on.
        default: RedirectRules.statuses.contains(statusCode)
        }
    }

    private var isWorthStoring: Bool {
        Self.guessed.contains(statusCode) || control.maxAge != nil || value("expires") != nil
    }

    /// Whether it says that there is no image.
    package var isNegative: Bool { statusCode >= 400 }

    var control: CacheControl { CacheControl(values("cache-control")) }

    /// The fields that are remembered.
    package var keptFields: [(name: String, value: String)] {
        fields.map { (name: $0.name, value: $0.value) }
    }

    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    private func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    private func date(_ name: String) -> Date? { value(name).flatMap { HTTPDate.parse($0) } }

    // MARK: Vary (RFC 9111, 4.1)

    /// The names that select the response; the transport decodes what it asks for, so
    /// `Accept-Encoding` selects nothing.
    package var selectingNames: [String] {
        let names = values("vary").flatMap { $0.split(separator: ",") }
            .map { $0.trimmed.lowercased() }
        return names.filter { !$0.isEmpty && $0 != "accept-encoding" }
    }

    /// What a request has for the fields that select the response.
    func selection(_ value: (String) -> String?) -> [String: String?] {
        Dictionary(selectingNames.map { ($0, value($0).map(Self.normalized)) }) { first, _ in
            first
        }
    }

    /// A list without the spaces around its commas, which mean nothing.
    private static func normalized(_ value: String) -> String {
        // What is quoted is left alone.
        guard value.contains(","), !value.contains("\"") else { return value }
        return value.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
            .joined(separator: ",")
    }

    /// Whether a request with these fields may get it.
    func isSelected(by value: (String) -> String?) -> Bool {
        let names = selectingNames
        return !names.contains("*") && selecting.contains(selection(value))
    }

    // MARK: Age and lifetime (RFC 9111, 4.2)

    /// Seconds since the response was made, or was last confirmed.
    func age(at now: Date) -> TimeInterval {
        let apparent = date("date").map { max(0, time.timeIntervalSince($0)) } ?? 0
        // A clock that was set back makes nothing younger than new.
        return max(apparent, TimeInterval(toldAge)) + max(0, now.timeIntervalSince(time))
    }

    /// The `Age` in seconds: the first of several; a value that is no number counts as very old.
    private var toldAge: Int {
        guard let value = value("age") else { return 0 }
        let first = value.prefix { $0 != "," }.trimmed
        return HTTPSyntax.seconds(first) ?? HTTPSyntax.longest
    }

    /// Seconds for which the response is fresh.
    var lifetime: TimeInterval {
        if let maxAge = control.maxAge { return TimeInterval(maxAge) }
        let expires = Set(values("expires"))
        if let text = expires.first {
            // No date, "0" above all, is in the past, and so is one that is contradicted.
            guard expires.count == 1, let end = HTTPDate.parse(text) else { return 0 }
            return max(0, end.timeIntervalSince(date("date") ?? time))
        }
        return guessedLifetime
    }

    private var guessedLifetime: TimeInterval {
        switch statusCode {
        case 404, 410: return Self.negativeLifetime
        case 301, 308: return Self.longestGuess
        default: break
        }
        guard Self.guessed.contains(statusCode), let modified = date("last-modified") else {
            return 0
        }
        let guess = (date("date") ?? time).timeIntervalSince(modified) / 10
        return min(max(0, guess), Self.longestGuess)
    }

    // MARK: After a 304 (RFC 9111, 4.3.4 and 3.2)

    /// The fields of a request that asks whether it is still good; empty without a validator.
    func condition(isSelected: Bool) -> [String: String] {
        guard !isNegative else { return [:] }
        var condition: [String: String] = [:]
        if let tag = value("etag") { condition["If-None-Match"] = tag }
        // Of another variant, the date would say nothing; a tag names one of them.
        if isSelected, let modified = value("last-modified") {
            condition["If-Modified-Since"] = modified
        }
        return condition
    }

    /// Whether a 304 is about this response: it must not have another validator.
    func isConfirmed(by confirmation: TransferResponse) -> Bool {
        guard confirmation.url.isSameResource(as: url) else { return false }
        if let tag = confirmation.value(for: "ETag") {
            return value("etag").map { Self.opaque($0) == Self.opaque(tag) } ?? false
        }
        guard let date = confirmation.value(for: "Last-Modified"), let own = value("last-modified")
        else { return true }
        return date == own
    }

    /// The tag without the mark of a weak one (RFC 9110, 8.8.3.2).
    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    /// The response with the fields of a 304 to a request.
    package func confirmed(
        by confirmation: TransferResponse,
        time: Date,
        requestField value: (String) -> String?
    ) -> HTTPAnswer? {
        let newer = Self.kept(confirmation)
        let names = Set(newer.map(\.name))
        // They are the times of the old response.
        let rest = fields.filter { !names.contains($0.name) && !["age", "date"].contains($0.name) }
        var answer = HTTPAnswer(self, time: time, fields: newer + rest)
        let selection = answer.selection(value)
        if answer.selectingNames != selectingNames { answer.selecting = [] }
        answer.selecting.removeAll { $0 == selection }
        answer.selecting = answer.selecting.suffix(Self.maxSelecting - 1) + [selection]
        return answer.isStorable ? answer : nil
    }

    private init(_ answer: HTTPAnswer, time: Date, fields: [Field]) {
        statusCode = answer.statusCode
        url = answer.url
        selecting = answer.selecting
        self.time = time
        self.fields = fields
    }
}

extension URL {
    /// Whether both name one resource: fragments are not sent.
    func isSameResource(as other: URL) -> Bool { withoutFragment == other.withoutFragment }

    private var withoutFragment: Substring { absoluteString.prefix { $0 != "#" } }
}

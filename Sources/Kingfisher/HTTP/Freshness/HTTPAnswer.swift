import Foundation

/// A response without its body, with the time of its request; determines the freshness.
package struct HTTPAnswer: Sendable, Codable, Equatable {
    struct Field: Sendable, Codable, Equatable {
        let name: String
        let value: String
    }

    package let statusCode: Int
    /// The URL of the request.
    package internal(set) var url: URL
    /// The time at which the request was sent.
    ///
    /// Ages are computed from this time rather than from the arrival, so they are never too small.
    let time: Date
    private var fields: [Field]
    /// Whether the rules for shared caches apply; nil, as in records of earlier versions, for no.
    private let isShared: Bool?
    /// The requests that the response applies to: their values of the fields named by `Vary`, which
    /// are in lower case; nil for a missing field.
    private(set) var selecting: [[String: String?]]

    /// The lifetime of a 404 or 410 without an explicit one: long enough for a scrolling list,
    /// short enough if the image is uploaded later.
    static let negativeLifetime: TimeInterval = 60
    /// The maximum heuristic lifetime.
    ///
    /// The heuristic is a tenth of the time since the last change (RFC 9111, 4.2.2).
    ///
    /// Permanent redirects get the maximum.
    static let longestGuess: TimeInterval = 86_400
    /// The maximum number of request variants; a confirmation for another request adds one (RFC
    /// 9111, 4.1) and drops the oldest.
    private static let maxSelecting = 4

    /// Makes a record of a response; nil if it must not be stored, or if storing is not useful.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - time: The time at which the request was sent.
    ///   - rules: The rules of the cache.
    ///   - value: Returns the request's value of a field.
    package init?(
        _ response: TransferResponse,
        time: Date,
        rules: HTTPCachingRules = HTTPCachingRules(),
        requestField value: (String) -> String?
    ) {
        statusCode = response.statusCode
        url = response.url
        self.time = time
        isShared = rules.isShared ? true : nil
        fields = Self.kept(response, rules.keptFields)
        selecting = []
        selecting = [selection(value)]
        guard isStorable(value) else { return nil }
    }

    // Other fields concern the connection, or may contain secrets.
    static let keptNames: Set<String> = [
        "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "vary",
    ]

    private static func kept(_ response: TransferResponse, _ more: Set<String>) -> [Field] {
        let names = keptNames.union(more.map { $0.lowercased() })
        return response.fields.map { Field(name: $0.name.lowercased(), value: $0.value) }
            .filter { names.contains($0.name) }
    }

    // MARK: Storing (RFC 9111, 3)

    /// Final statuses with a heuristic lifetime (RFC 9110, 15.1).
    private static let guessed: Set = [200, 203, 300, 301, 308, 404, 405, 410, 414, 501]
    /// Temporary failures and errors of the caller; a retry must reach the server.
    private static let momentary: Set = [
        401, 402, 403, 407, 408, 409, 412, 416, 417, 421, 423, 424, 425, 426, 428, 429, 431,
    ]

    private var isUnderstood: Bool {
        Self.guessed.contains(statusCode) || RedirectRules.statuses.contains(statusCode)
    }

    private func isStorable(_ requestField: (String) -> String?) -> Bool {
        let control = control(isAuthorized: requestField("Authorization") != nil)
        if control.isPrivate { return false }
        // An accompanying `no-store` is for caches that do not support the directive (RFC 9111,
        // 5.2.2.3).
        if control.mustUnderstand ? !isUnderstood : control.isNoStore { return false }
        return switch statusCode {
        case 206: false
        case 200..<300, 300, 501: isWorthStoring
        case 400..<500: isWorthStoring && !Self.momentary.contains(statusCode)
        // Redirects are stored even without a lifetime: the chain is then requested again from
        // there.
        default: RedirectRules.statuses.contains(statusCode)
        }
    }

    private var isWorthStoring: Bool {
        Self.guessed.contains(statusCode) || control.maxAge != nil || value("expires") != nil
    }

    /// Whether the response means that there is no image.
    package var isNegative: Bool { statusCode >= 400 }

    var control: CacheControl { control(isAuthorized: false) }

    private func control(isAuthorized: Bool) -> CacheControl {
        CacheControl(
            values("cache-control"),
            isShared: isShared ?? false,
            isAuthorized: isAuthorized
        )
    }

    /// The head of the response with its stored fields, and with its age (RFC 9111, 5.1).
    func response(at now: Date) -> TransferResponse {
        let age = (name: "age", value: "\(Int(min(age(at: now), Double(HTTPSyntax.longest))))")
        let others = fields.filter { $0.name != "age" }.map { (name: $0.name, value: $0.value) }
        return TransferResponse(url: url, statusCode: statusCode, fields: others + [age])
    }

    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    private func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    private func date(_ name: String) -> Date? { value(name).flatMap { HTTPDate.parse($0) } }

    // MARK: Vary (RFC 9111, 4.1)

    /// The names of the fields that select the response.
    ///
    /// `Accept-Encoding` is excluded, because the transport decodes the codings it requests.
    package var selectingNames: [String] {
        let names = values("vary").flatMap { $0.split(separator: ",") }
            .map { $0.trimmed.lowercased() }
        return names.filter { !$0.isEmpty && $0 != "accept-encoding" }
    }

    /// A request's values of the fields that select the response.
    func selection(_ value: (String) -> String?) -> [String: String?] {
        Dictionary(selectingNames.map { ($0, value($0).map(Self.normalized)) }) { first, _ in
            first
        }
    }

    /// A list without the insignificant spaces around its commas.
    private static func normalized(_ value: String) -> String {
        // Quoted values are not changed.
        guard value.contains(","), !value.contains("\"") else { return value }
        return value.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
            .joined(separator: ",")
    }

    /// Whether the response applies to a request with these fields.
    func isSelected(by value: (String) -> String?) -> Bool {
        let names = selectingNames
        return !names.contains("*") && selecting.contains(selection(value))
    }

    // MARK: Age and lifetime (RFC 9111, 4.2)

    /// The seconds since the response was made or last confirmed.
    func age(at now: Date) -> TimeInterval {
        let apparent = date("date").map { max(0, time.timeIntervalSince($0)) } ?? 0
        // A clock that was set back must not make the response younger.
        return max(apparent, TimeInterval(toldAge)) + max(0, now.timeIntervalSince(time))
    }

    /// The first `Age` in seconds; an invalid value is ignored (RFC 9111, 5.1).
    private var toldAge: Int {
        guard let value = value("age") else { return 0 }
        let first = value.prefix { $0 != "," }.trimmed
        return HTTPSyntax.seconds(first) ?? 0
    }

    /// The seconds for which the response is fresh.
    var lifetime: TimeInterval {
        if let maxAge = control.maxAge { return TimeInterval(maxAge) }
        let expires = Set(values("expires"))
        if let text = expires.first {
            // An invalid date such as "0" is in the past, and so are contradictory ones.
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

    /// The header fields of a conditional request; empty without a validator.
    func condition(isSelected: Bool) -> [String: String] {
        guard !isNegative else { return [:] }
        var condition: [String: String] = [:]
        if let tag = value("etag") { condition["If-None-Match"] = tag }
        // The date of another variant is meaningless, but an entity tag identifies one of them.
        if isSelected, let modified = value("last-modified") {
            condition["If-Modified-Since"] = modified
        }
        return condition
    }

    /// Whether a 304 confirms this response: its validator must not differ.
    func isConfirmed(by confirmation: TransferResponse) -> Bool {
        guard confirmation.url.isSameResource(as: url) else { return false }
        if let tag = confirmation.value(for: "ETag") {
            return value("etag").map { Self.opaque($0) == Self.opaque(tag) } ?? false
        }
        guard let date = confirmation.value(for: "Last-Modified"), let own = value("last-modified")
        else { return true }
        return date == own
    }

    /// The tag without the prefix of a weak tag (RFC 9110, 8.8.3.2).
    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }

    /// The rules for the redirects to this response, which keep no additional fields.
    var rules: HTTPCachingRules { HTTPCachingRules(isShared: isShared ?? false) }

    /// The response updated with the fields of a 304.
    package func confirmed(
        by confirmation: TransferResponse,
        time: Date,
        requestField value: (String) -> String?
    ) -> HTTPAnswer? {
        let newer = Self.kept(confirmation, Set(fields.map(\.name)))
        let names = Set(newer.map(\.name))
        // Age and date of the old response no longer apply.
        let rest = fields.filter { !names.contains($0.name) && !["age", "date"].contains($0.name) }
        var answer = HTTPAnswer(self, time: time, fields: newer + rest)
        let selection = answer.selection(value)
        if answer.selectingNames != selectingNames { answer.selecting = [] }
        answer.selecting.removeAll { $0 == selection }
        answer.selecting = answer.selecting.suffix(Self.maxSelecting - 1) + [selection]
        if answer.isStorable(value) { return answer }
        // A request with credentials does not remove what was stored without them.
        return answer.isStorable { _ in nil } ? self : nil
    }

    private init(_ answer: HTTPAnswer, time: Date, fields: [Field]) {
        statusCode = answer.statusCode
        url = answer.url
        selecting = answer.selecting
        isShared = answer.isShared
        self.time = time
        self.fields = fields
    }
}

extension URL {
    /// Whether both URLs identify the same resource; fragments are not sent.
    func isSameResource(as other: URL) -> Bool { withoutFragment == other.withoutFragment }

    private var withoutFragment: Substring { absoluteString.prefix { $0 != "#" } }
}

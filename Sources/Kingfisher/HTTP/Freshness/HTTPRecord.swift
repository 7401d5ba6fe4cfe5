package import Foundation

/// What is remembered of an answer beside its picture: enough to tell how long it is good, and to
/// ask whether it still is.
package struct HTTPRecord: Sendable, Codable, Equatable {
    struct Field: Sendable, Codable, Equatable {
        let name: String
        let value: String
    }

    /// Of the answer: 200, or 404 and 410 for a picture that is not there.
    package let statusCode: Int
    /// Where the answer came from.
    package let url: URL
    /// When the request was sent.
    ///
    /// Ages count from here rather than from the arrival: careful, and one time less to keep.
    let time: Date
    private(set) var fields: [Field]
    /// What the request said in the fields that `Vary` names, in lower case; `nil` where it said
    /// nothing.
    let selecting: [String: String?]

    /// A picture that is not there is not asked for again for a minute, if the server says nothing
    /// about it: long enough for a list that scrolls, short enough for someone who uploads it.
    static let negativeLifetime: TimeInterval = 60
    /// A tenth of the picture's age is the usual guess (RFC 9111, 4.2.2), a day at most.
    static let longestGuess: TimeInterval = 86_400

    /// Remembers an answer; `nil` if it must not be stored, or is none that is worth it.
    ///
    /// - Parameters:
    ///   - response: The answer.
    ///   - time: When the request was sent.
    ///   - value: What the request said in a field.
    package init?(
        _ response: TransferResponse,
        time: Date,
        requestField value: (String) -> String?
    ) {
        guard [200, 203, 404, 410].contains(response.statusCode) else { return nil }
        statusCode = response.statusCode
        url = response.url
        self.time = time
        fields = Self.kept(response)
        let vary = response.values(for: "Vary").flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        // The transport asks for what it can decode and decodes it: that selects nothing.
        let names = vary.filter { !$0.isEmpty && $0 != "accept-encoding" }
        selecting = Dictionary(names.map { ($0, value($0)) }) { first, _ in first }
        if control.isNoStore { return nil }
    }

    // Others tell of the connection, or can be secrets.
    private static let keptNames: Set<String> = [
        "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "vary",
    ]

    private static func kept(_ response: TransferResponse) -> [Field] {
        response.fields.filter { keptNames.contains($0.name.lowercased()) }
            .map { Field(name: $0.name.lowercased(), value: $0.value) }
    }

    /// Whether it says that there is no picture.
    package var isNegative: Bool { statusCode == 404 || statusCode == 410 }

    var control: CacheControl {
        CacheControl(fields.filter { $0.name == "cache-control" }.map(\.value))
    }

    /// The fields that are remembered.
    package var keptFields: [(name: String, value: String)] {
        fields.map { (name: $0.name, value: $0.value) }
    }

    func value(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    private func date(_ name: String) -> Date? { value(name).flatMap { HTTPDate.parse($0) } }

    // MARK: Age and lifetime (RFC 9111, 4.2)

    /// Seconds since the answer was made, or was last found to be good.
    func age(at now: Date) -> TimeInterval {
        let apparent = date("date").map { max(0, time.timeIntervalSince($0)) } ?? 0
        // A clock that was set back makes nothing younger than new.
        return max(apparent, TimeInterval(toldAge)) + max(0, now.timeIntervalSince(time))
    }

    /// The `Age` in seconds: the first of several; a value that is no number counts as very old.
    private var toldAge: Int {
        guard let value = value("age") else { return 0 }
        let first = value.prefix { $0 != "," }.trimmingCharacters(in: .whitespaces)
        return HTTPSyntax.seconds(first) ?? HTTPSyntax.longest
    }

    /// Seconds for which the answer is good.
    var lifetime: TimeInterval {
        if let maxAge = control.maxAge { return TimeInterval(maxAge) }
        if let expires = value("expires") {
            // What is no date, "0" above all, is in the past.
            guard let end = HTTPDate.parse(expires) else { return 0 }
            return max(0, end.timeIntervalSince(date("date") ?? time))
        }
        if isNegative { return Self.negativeLifetime }
        guard let modified = date("last-modified") else { return 0 }
        let guess = (date("date") ?? time).timeIntervalSince(modified) / 10
        return min(max(0, guess), Self.longestGuess)
    }

    // MARK: After a 304

    /// The record with the fields of the answer that says that nothing has changed (RFC 9111, 3.2).
    package func refreshed(by response: TransferResponse, time: Date) -> HTTPRecord {
        let newer = Self.kept(response)
        let names = Set(newer.map(\.name))
        // They are the times of the old answer.
        let rest = fields.filter { !names.contains($0.name) && !["age", "date"].contains($0.name) }
        return HTTPRecord(self, time: time, fields: newer + rest)
    }

    private init(_ record: HTTPRecord, time: Date, fields: [Field]) {
        statusCode = record.statusCode
        url = record.url
        selecting = record.selecting
        self.time = time
        self.fields = fields
    }
}

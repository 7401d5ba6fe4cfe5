import Foundation

/// What must be known of an interrupted body to go on with it.
struct PartialHead: Sendable, Codable, Equatable {
    struct Field: Sendable, Codable, Equatable {
        let name: String
        let value: String
    }

    /// Where the answer came from, after redirects.
    let url: URL
    /// The value for `If-Range`.
    let validator: String
    /// The length of the whole, if the server said.
    let total: Int?
    /// The fields of the answer.
    let fields: [Field]
    /// Bytes that are there.
    var received: Int

    /// The head of a body that broke off; `nil` if the rest must not be joined to it.
    ///
    /// - Parameters:
    ///   - response: The answer: 200, or what ``ResumedAnswer`` made of a 206.
    ///   - received: Bytes so far.
    init?(_ response: TransferResponse, received: Int) {
        let encoding = response.value(for: "Content-Encoding")?.lowercased() ?? "identity"
        guard response.statusCode == 200, encoding == "identity",
            response.value(for: "Accept-Ranges")?.lowercased() != "none",
            let validator = Self.validator(of: response)
        else { return nil }
        let total = response.expectedLength
        if let total, received >= total { return nil }
        url = response.url
        self.validator = validator
        self.total = total
        fields = response.fields.map { Field(name: $0.name, value: $0.value) }
        self.received = received
    }

    /// A validator that names the bytes themselves (RFC 9110, 8.8.1 and 13.1.5).
    static func validator(of response: TransferResponse) -> String? {
        if let tag = response.values(for: "ETag").first {
            // A weak one says that two pictures look alike. A date beside it is no better.
            let isStrong = tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.utf8.count > 2
            return isStrong ? tag : nil
        }
        guard let modified = response.values(for: "Last-Modified").first,
            let date = response.values(for: "Date").first,
            let modification = HTTPDate.parse(modified), let answer = HTTPDate.parse(date)
        else { return nil }
        // Within a second a file can change twice; a minute allows for clocks that differ.
        return answer.timeIntervalSince(modification) >= 60 ? modified : nil
    }
}

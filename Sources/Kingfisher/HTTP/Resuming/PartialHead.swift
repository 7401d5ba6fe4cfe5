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

    /// The validator that names the bytes themselves: a strong entity tag (RFC 9110, 8.8.1).
    ///
    /// A weak one says that two versions look alike. A date is none at all: a file can change twice
    /// in a second, and servers set dates back.
    static func validator(of response: TransferResponse) -> String? {
        guard let tag = response.value(for: "ETag"), tag.utf8.count > 2, tag.hasPrefix("\""),
            tag.hasSuffix("\""),
            tag.dropFirst().dropLast().utf8.allSatisfy({ $0 > 0x20 && $0 != 0x22 && $0 != 0x7F })
        else { return nil }
        return tag
    }

    /// The date of the version, which must not change either.
    var lastModified: String? {
        fields.first { $0.name.lowercased() == "last-modified" }?.value
    }
}

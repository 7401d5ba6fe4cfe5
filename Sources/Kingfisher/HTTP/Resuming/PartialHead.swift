import Foundation

/// The data needed to continue an interrupted body.
struct PartialHead: Sendable, Codable, Equatable {
    struct Field: Sendable, Codable, Equatable {
        let name: String
        let value: String
    }

    /// The URL of the response, after redirects.
    let url: URL
    /// The value for `If-Range`.
    let validator: String
    /// The length of the complete body, if the server announced it.
    let total: Int?
    /// The fields of the response.
    let fields: [Field]
    /// The number of bytes received.
    var received: Int

    /// Makes the head of an interrupted body; `nil` if the rest must not be appended to it.
    ///
    /// - Parameters:
    ///   - response: A 200 response, or the one that ``ResumedAnswer`` made from a 206.
    ///   - received: The number of bytes received.
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

    /// The validator that identifies the exact bytes: a strong entity tag (RFC 9110, 8.8.1).
    ///
    /// A weak tag identifies only equivalent versions. A date is not used: a file can change twice
    /// in a second, and servers set dates back.
    static func validator(of response: TransferResponse) -> String? {
        guard let tag = response.value(for: "ETag"), tag.utf8.count > 2, tag.hasPrefix("\""),
            tag.hasSuffix("\""),
            tag.dropFirst().dropLast().utf8.allSatisfy({ $0 > 0x20 && $0 != 0x22 && $0 != 0x7F })
        else { return nil }
        return tag
    }

    /// The modification date of the version, which must not change either.
    var lastModified: String? {
        fields.first { $0.name.lowercased() == "last-modified" }?.value
    }
}

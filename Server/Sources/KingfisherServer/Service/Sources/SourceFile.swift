import Foundation
import Kingfisher

/// The bytes of a source, and what is known about them.
final class SourceFile: Sendable, CacheCostCalculable {
    /// The bytes.
    let data: Data
    /// A name of these bytes, for sharing work on them.
    let key: String
    /// The `ETag` of the source, as received.
    let entityTag: String?
    /// The `Last-Modified` of the source, as received.
    let lastModified: String?
    /// The `Cache-Control` of the source, as received.
    let cacheControl: String?
    /// The `Expires` of the source, as received.
    let expires: String?
    /// The `Content-Type` of the source, as received.
    let contentType: String?
    /// Fields that are passed on to the client.
    let passedFields: [HeaderField]

    /// Makes a file.
    init(
        data: Data,
        key: String,
        entityTag: String? = nil,
        lastModified: String? = nil,
        cacheControl: String? = nil,
        expires: String? = nil,
        contentType: String? = nil,
        passedFields: [HeaderField] = []
    ) {
        self.data = data
        self.key = key
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.cacheControl = cacheControl
        self.expires = expires
        self.contentType = contentType
        self.passedFields = passedFields
    }

    /// The directives of `Cache-Control`, in lower case.
    var directives: [String] {
        (cacheControl ?? "").lowercased().split(separator: ",").map(\.trimmed)
    }

    /// Whether neither the source nor its results may be kept for other clients.
    var forbidsStoring: Bool {
        directives.contains { $0 == "no-store" || $0.hasPrefix("private") }
    }

    /// The size in memory; 1 KiB for the strings.
    var cacheCost: Int { data.count + 1024 }
}

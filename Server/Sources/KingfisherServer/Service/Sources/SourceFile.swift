import Foundation
import Kingfisher

/// The bytes of a source with their properties.
struct SourceFile: Sendable {
    /// The bytes.
    let data: Data
    /// The name of the source for messages and logs.
    let key: String
    /// The `ETag` of the source, as received.
    var entityTag: String?
    /// The `Last-Modified` of the source, as received.
    var lastModified: String?
    /// The `Cache-Control` of the source, as received.
    var cacheControl: String?
    /// The `Expires` of the source, as received.
    var expires: String?
    /// The `Date` of the source, as received.
    var date: String?
    /// How many seconds ago the server made or confirmed the response.
    var age = 0
    /// Fields that are passed on to the client.
    var passedFields: [HeaderField] = []
    /// Keeps the bytes for other requests while this one holds them; nil if caches do that.
    var held: HeldBytes?

    /// The directives of `Cache-Control`, in lower case.
    var directives: [String] {
        (cacheControl ?? "").lowercased().split(separator: ",").map(\.trimmed)
    }

    /// Whether neither the source nor its results may be kept for other clients.
    var forbidsStoring: Bool {
        directives.contains { $0 == "no-store" || $0.hasPrefix("private") }
    }
}

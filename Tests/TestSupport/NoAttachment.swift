package import Kingfisher

/// The attachment of downloads to which nothing is attached.
package final class NoAttachment: Sendable {}

extension SharedDownloads where Attachment == NoAttachment {
    package convenience init(transport: any HTTPTransport) {
        self.init(transport: transport) { _ in NoAttachment() }
    }
}

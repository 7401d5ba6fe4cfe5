package import Foundation

/// A whole body with the head that announced it.
package struct DownloadedBody: Sendable {
    /// The body, decoded (gzip, deflate, br).
    package let data: Data
    /// The head of the answer that carried it, after redirects.
    package let response: TransferResponse
    /// What the transfer cost.
    package let metrics: TransferMetrics
}

import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Decisions about a download as a whole; those of its creator apply to all callers.
///
/// Each `reply` may be called immediately or later, on any thread; the transfer waits.
package struct DownloadHooks: Sendable {
    /// Chooses the request for a redirect; `nil` makes the redirect the final response.
    package var redirect:
        (
            @Sendable (
                SharedDownload, TransferResponse, URLRequest,
                _ reply: @escaping @Sendable (URLRequest?) -> Void
            ) -> Void
        )?
    /// Provides a user name and password for a challenge.
    package var challenge:
        (
            @Sendable (
                SharedDownload, TransferChallenge,
                _ reply: @escaping @Sendable (TransferCredential?) -> Void
            ) -> Void
        )?
    /// Decides about the certificates of a server.
    package var trust:
        (
            @Sendable (
                SharedDownload, ServerTrust,
                _ reply: @escaping @Sendable (ServerTrustDecision) -> Void
            ) -> Void
        )?
    /// Checks the head of the response.
    package var response:
        (
            @Sendable (
                SharedDownload, TransferResponse,
                _ reply: @escaping @Sendable (TransferDisposition) -> Void
            ) -> Void
        )?
    /// Called once with the result after ``SharedDownload/start()``; replies, immediately or later,
    /// with the result for the callers.
    package var finished:
        (
            @Sendable (
                SharedDownload, Result<DownloadedBody, TransferError>,
                _ reply: @escaping @Sendable (Result<DownloadedBody, TransferError>) -> Void
            ) -> Void
        )?
    /// Called when the last caller that keeps the bytes has left, or at the end if no caller keeps
    /// them.
    package var abandoned: (@Sendable (SharedDownload) -> Void)?

    /// Creates hooks that follow redirects and accept every response.
    package init() {}
}

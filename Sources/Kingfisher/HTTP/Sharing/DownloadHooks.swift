import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// Who decides about a download as a whole, whoever waits for it: its creator's hooks.
///
/// Each `reply` may be called at once or later, from any thread; the transfer waits.
package struct DownloadHooks: Sendable {
    /// Chooses the request to follow a redirect with, `nil` to take the redirect as the answer.
    package var redirect:
        (
            @Sendable (
                SharedDownload, TransferResponse, URLRequest,
                _ reply: @escaping @Sendable (URLRequest?) -> Void
            ) -> Void
        )?
    /// Answers a question for name and password.
    package var challenge:
        (
            @Sendable (
                SharedDownload, TransferChallenge,
                _ reply: @escaping @Sendable (TransferCredential?) -> Void
            ) -> Void
        )?
    /// Decides about the certificates that a server shows.
    package var trust:
        (
            @Sendable (
                SharedDownload, ServerTrust,
                _ reply: @escaping @Sendable (ServerTrustDecision) -> Void
            ) -> Void
        )?
    /// Checks the head: status, type, whatever.
    package var response:
        (
            @Sendable (
                SharedDownload, TransferResponse,
                _ reply: @escaping @Sendable (TransferDisposition) -> Void
            ) -> Void
        )?
    /// Told the end of the download, once for each call of ``SharedDownload/start()`` that was its
    /// first; replies, at once or later, with what the callers get.
    package var finished:
        (
            @Sendable (
                SharedDownload, Result<DownloadedBody, TransferError>,
                _ reply: @escaping @Sendable (Result<DownloadedBody, TransferError>) -> Void
            ) -> Void
        )?
    /// Called when the last caller that keeps the bytes has left, or when no caller kept them.
    package var abandoned: (@Sendable (SharedDownload) -> Void)?

    /// Creates hooks that follow redirects and allow every answer.
    package init() {}
}

import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The misspelt former name of ``AuthenticationChallengeResponsible``.
@available(*, deprecated, renamed: "AuthenticationChallengeResponsible")
public typealias AuthenticationChallengeResponsable = AuthenticationChallengeResponsible

/// Responds to authentication challenges.
public protocol AuthenticationChallengeResponsible: AnyObject {
    /// Responds to a challenge about the trust in a server.
    ///
    /// The protection space's method is ``NSURLAuthenticationMethodServerTrust``, and its
    /// `serverTrust` is a ``ServerTrust`` instead of a `SecTrust`. Nothing has been sent to the
    /// server yet.
    ///
    /// The decision about a certificate also applies to later connections to the same host. Client
    /// certificates are not requested here; set them in ``TransferSettings/clientCertificates``.
    ///
    /// - Parameters:
    ///   - downloader: The downloader.
    ///   - challenge: The challenge.
    /// - Returns: `.useCredential` with `URLCredential(trust:)` accepts the server even if it is
    ///   not trusted. `.performDefaultHandling` accepts it if it is trusted or
    ///   ``ImageDownloader/trustedHosts`` contains its host. Any other disposition ends the
    ///   download with an error.
    func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Responds to a challenge of one task, such as a request for a user name and password.
    ///
    /// - Parameters:
    ///   - downloader: The downloader.
    ///   - task: The task of the download.
    ///   - challenge: The challenge.
    /// - Returns: `.useCredential` with a user name and password; any other disposition sends none.
    func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

extension AuthenticationChallengeResponsible {
    /// Performs the default handling.
    ///
    /// See `downloader(_:didReceive:)`.
    public func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }

    /// Performs the default handling.
    ///
    /// See `downloader(_:task:didReceive:)`.
    public func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }
}

import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// The misspelt old name of ``AuthenticationChallengeResponsible``.
@available(*, deprecated, renamed: "AuthenticationChallengeResponsible")
public typealias AuthenticationChallengeResponsable = AuthenticationChallengeResponsible

/// Answers authentication challenges.
public protocol AuthenticationChallengeResponsible: AnyObject {
    /// Answers a challenge of the session: whether to trust a server.
    ///
    /// The protection space's method is ``NSURLAuthenticationMethodServerTrust``, and its
    /// `serverTrust` is a ``ServerTrust`` in place of a `SecTrust`. Answer `.useCredential` with
    /// `URLCredential(trust:)` to accept the server, whoever vouches for it; `.performDefaultHandling`
    /// to accept it if an authority does, or ``ImageDownloader/trustedHosts`` has its host; anything
    /// else to end the download with an error. Nothing has been sent to the server when this is asked.
    ///
    /// What was answered about a certificate holds for later connections to the same host, too.
    /// Clients' certificates are not asked for here: they stand in
    /// ``TransferSettings/clientCertificates``.
    func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// Answers a challenge of one task, such as a request for name and password.
    func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

extension AuthenticationChallengeResponsible {
    /// Leaves the answer to the system.
    public func downloader(
        _ downloader: ImageDownloader,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }

    /// Leaves the answer to the system.
    public func downloader(
        _ downloader: ImageDownloader,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        (.performDefaultHandling, nil)
    }
}

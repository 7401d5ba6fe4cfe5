import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension ImageDownloader {
    /// Asks the responder for a user name and password.
    func answer(
        _ challenge: TransferChallenge,
        of task: SessionDataTask,
        reply: @escaping @Sendable (TransferCredential?) -> Void
    ) {
        let responder = WeakReference(authenticationChallengeResponder)
        guard responder.object != nil, responder.object !== self || isOverridden else {
            return reply(nil)
        }
        Task { [self] in
            guard let object = responder.object as? any AuthenticationChallengeResponsible else {
                return reply(nil)
            }
            let (disposition, credential) = await object.downloader(
                self,
                task: task.task,
                didReceive: URLAuthenticationChallenge(challenge)
            )
            guard disposition == .useCredential, let credential, let user = credential.user else {
                return reply(nil)
            }
            reply(TransferCredential(user: user, password: credential.password ?? ""))
        }
    }

    /// Asks the responder whether to trust a server.
    func answer(
        _ trust: ServerTrust,
        reply: @escaping @Sendable (ServerTrustDecision) -> Void
    ) {
        let responder = WeakReference(authenticationChallengeResponder)
        Task { [self] in
            guard let object = responder.object as? any AuthenticationChallengeResponsible else {
                return reply(.performDefaultHandling)
            }
            let challenge = URLAuthenticationChallenge(trust)
            let (disposition, credential) = await object.downloader(self, didReceive: challenge)
            switch disposition {
            case .performDefaultHandling: reply(.performDefaultHandling)
            case .useCredential where credential?.accepts(trust) == true: reply(.accept)
            default: reply(.refuse)
            }
        }
    }
}

extension URLAuthenticationChallenge {
    /// Converts the transport's challenge to Foundation's.
    fileprivate convenience init(_ challenge: TransferChallenge) {
        let method =
            challenge.scheme == .digest
            ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic
        let space = URLProtectionSpace(
            host: challenge.host,
            port: challenge.port,
            protocol: challenge.urlScheme,
            realm: challenge.realm,
            authenticationMethod: method
        )
        self.init(
            protectionSpace: space,
            proposedCredential: nil,
            previousFailureCount: challenge.previousFailureCount,
            failureResponse: challenge.response.httpURLResponse,
            error: nil,
            sender: SilentChallengeSender()
        )
    }
}

/// A sender without effect, which Foundation requires; the responder returns its decision instead.
final class SilentChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

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

// Named as on Apple's platforms; Foundation's own constant is unavailable on Linux.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The authentication method of a challenge about the trust in a server.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLProtectionSpace {
    /// The server's certificates; nil for other challenges.
    public var serverTrust: ServerTrust? { (self as? ServerTrustSpace)?.trust }
}

extension URLCredential {
    /// Makes the credential that accepts a server.
    ///
    /// - Parameter trust: The trust of the challenge; that of another server has no effect.
    public convenience init(trust: ServerTrust) {
        self.init(user: Self.trustUser, password: trust.name, persistence: .none)
    }

    /// Whether this credential accepts the server.
    func accepts(_ trust: ServerTrust) -> Bool {
        user == Self.trustUser && password == trust.name
    }

    private static let trustUser = "com.onevcat.Kingfisher.ServerTrust"
}

extension URLAuthenticationChallenge {
    /// Makes the challenge for a server trust.
    convenience init(_ trust: ServerTrust) {
        self.init(
            protectionSpace: ServerTrustSpace(trust),
            proposedCredential: nil,
            previousFailureCount: 0,
            failureResponse: nil,
            error: nil,
            sender: SilentChallengeSender()
        )
    }
}

/// `@unchecked`: the superclass is not final; the added property is constant.
private final class ServerTrustSpace: URLProtectionSpace, @unchecked Sendable {
    let trust: ServerTrust

    init(_ trust: ServerTrust) {
        self.trust = trust
        super.init(
            host: trust.host,
            port: trust.port,
            protocol: "https",
            realm: nil,
            authenticationMethod: Kingfisher.NSURLAuthenticationMethodServerTrust
        )
    }

    required init?(coder: NSCoder) { nil }
}

extension ServerTrust {
    fileprivate var name: String {
        "\(host) \(certificates.first?.der.base64EncodedString() ?? "")"
    }
}

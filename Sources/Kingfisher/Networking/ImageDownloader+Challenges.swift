import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
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

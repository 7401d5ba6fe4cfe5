import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests of a transfer: the current one, those before it, and the one that follows.
struct CurlChain {
    private(set) var request: URLRequest
    private(set) var url: URL
    /// The origin as the queue and the trust in servers know it.
    private(set) var origin: String
    /// The credential for the current origin.
    private(set) var credential: (TransferCredential, TransferChallenge.Scheme)?
    private(set) var redirectCount = 0
    private var next: URLRequest?
    private var failedCredentials = 0
    private var visited: Set<String> = []

    /// A handler that always gives the same wrong credential must not repeat the request forever.
    private static let maxCredentials = 20

    init(_ request: URLRequest, url: URL, origin: String, _ settings: TransferSettings) {
        var request = request
        for (name, value) in settings.extraHeaders
        where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        self.request = request
        self.url = url
        self.origin = Self.place(origin, settings)
    }

    /// A socket has its own connections.
    private static func place(_ origin: String, _ settings: TransferSettings) -> String {
        settings.unixSocketPath.map { "\(origin) \($0)" } ?? origin
    }

    /// What a response asks the handler: a redirect, a challenge, or the end of the chain.
    func question(
        about response: TransferResponse,
        _ settings: TransferSettings
    ) throws(TransferError) -> CurlQuestion {
        if RedirectRules.statuses.contains(response.statusCode),
            let next = try RedirectRules(settings: settings).next(after: request, response)
        {
            return .redirect(response, next: next)
        }
        let failures = failedCredentials + (credential == nil ? 0 : 1)
        guard failures < Self.maxCredentials,
            let challenge = TransferChallenge(response, previousFailureCount: failures)
        else { return .response(response) }
        return .challenge(challenge)
    }

    /// Continues with the request of a redirect.
    mutating func follow(
        _ next: URLRequest,
        _ settings: TransferSettings
    ) throws(TransferError) {
        guard let target = next.url else {
            throw .invalidRequest(reason: "the redirect handler removed its URL", url: url)
        }
        try RedirectRules(settings: settings).check(target, from: url)
        guard redirectCount < settings.maxRedirects else {
            throw .tooManyRedirects(limit: settings.maxRedirects, url: url)
        }
        visited.insert(Self.visitKey(request))
        guard !visited.contains(Self.visitKey(next)) else { throw .redirectLoop(url: target) }
        redirectCount += 1
        self.next = next
    }

    /// Repeats the request with a credential.
    mutating func use(_ credential: TransferCredential, for scheme: TransferChallenge.Scheme) {
        if self.credential != nil { failedCredentials += 1 }
        self.credential = (credential, scheme)
    }

    /// Begins the next request, if the current one has led to one; otherwise it is repeated.
    mutating func advance(_ settings: TransferSettings) {
        guard let next, let target = next.url else { return }
        if !target.hasSameOrigin(as: url) { credential = nil }
        request = next
        url = target
        origin = Self.place(target.origin, settings)
        self.next = nil
    }

    private static func visitKey(_ request: URLRequest) -> String {
        let text = request.url?.absoluteString ?? ""
        let path = text.prefix { $0 != "#" }
        return "\(request.httpMethod ?? "GET") \(path)"
    }
}

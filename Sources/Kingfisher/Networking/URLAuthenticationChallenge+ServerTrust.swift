import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

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

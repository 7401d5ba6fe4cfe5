import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

// The name is the one that user code knows; Foundation's own is unavailable on Linux.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The method of a challenge that asks whether to trust a server.
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension URLProtectionSpace {
    /// The server's certificates; nil unless the challenge is about them.
    public var serverTrust: ServerTrust? { (self as? ServerTrustSpace)?.trust }
}

extension URLCredential {
    /// Makes the answer that accepts a server.
    ///
    /// - Parameter trust: That of the challenge; one of another server's is no answer.
    public convenience init(trust: ServerTrust) {
        self.init(user: Self.trustUser, password: trust.name, persistence: .none)
    }

    /// Whether it is the answer that accepts this server.
    func accepts(_ trust: ServerTrust) -> Bool {
        user == Self.trustUser && password == trust.name
    }

    private static let trustUser = "com.onevcat.Kingfisher.ServerTrust"
}

extension URLAuthenticationChallenge {
    /// The question whether to trust a server.
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

/// `@unchecked`: the superclass is not final; what is added never changes.
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

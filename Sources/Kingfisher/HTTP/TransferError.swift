public import Foundation

/// Why a transfer did not deliver a whole body.
public enum TransferError: Error, Sendable {
    /// What a time-out was waiting for.
    public enum Phase: String, Sendable {
        /// Resolving the name, connecting, the TLS handshake.
        case connect = "to be connected"
        /// The next byte.
        case idle = "for the server to send something"
        /// A body that came more slowly than ``TransferSettings/minimumSpeed``.
        case speed = "for the body, which came below the minimum speed"
        /// The whole transfer.
        case total = "for the transfer to end"
    }

    /// Someone stopped it.
    case cancelled
    /// The request cannot be sent as it stands.
    case invalidRequest(reason: String, url: URL?)
    /// Neither http nor https.
    case unsupportedScheme(String, url: URL)
    /// The host's name has no address.
    case cannotResolve(host: String, url: URL)
    /// No connection came about.
    case cannotConnect(host: String, reason: String, url: URL)
    /// This machine has no network, or none that leads to the host.
    case notConnected(host: String, url: URL)
    /// The address guard refused where the name leads.
    case addressRefused(address: String, range: AddressRange, url: URL)
    /// The TLS handshake failed, or the certificate is not trusted.
    case tls(TLSFault, reason: String, url: URL)
    /// Something took longer than allowed.
    case timedOut(Phase, limit: Duration, url: URL)
    /// More redirects than allowed.
    case tooManyRedirects(limit: Int, url: URL)
    /// The redirects lead back to a URL of the same chain.
    case redirectLoop(url: URL)
    /// A redirect leads to a scheme that is not allowed.
    case redirectRefused(target: String, url: URL)
    /// The body is larger than allowed, by what was announced or by what came.
    case bodyTooLarge(limit: Int, url: URL)
    /// A large body could not be written to a temporary file: the disk is full, for one.
    case cannotKeepBody(reason: String, url: URL)
    /// The connection ended before the body did.
    case truncatedBody(received: Int, expected: Int?, url: URL)
    /// The connection broke.
    case connectionLost(reason: String, url: URL)
    /// The answer is not HTTP, or not as it says it is.
    case badResponse(reason: String, url: URL)
    /// Whoever was asked about the answer refused it, for this reason.
    case rejected(reason: any Error, url: URL)
    /// Anything else that libcurl reports, with its code.
    case curl(code: Int, message: String, url: URL)

    /// Whether it was stopped on purpose: never retried, never reported as a failure.
    public var isCancellation: Bool {
        if case .cancelled = self { true } else { false }
    }

    /// Whether the same request may well succeed a little later.
    public var isTransient: Bool {
        switch self {
        case .cannotResolve, .cannotConnect, .notConnected, .timedOut, .truncatedBody,
            .connectionLost:
            true
        default: false
        }
    }

    /// The URL in question, without name and password.
    public var url: URL? {
        switch self {
        case .cancelled: nil
        case .invalidRequest(_, let url): url?.withoutUser
        case .unsupportedScheme(_, let url), .cannotResolve(_, let url),
            .cannotConnect(_, _, let url), .notConnected(_, let url),
            .addressRefused(_, _, let url), .tls(_, _, let url),
            .timedOut(_, _, let url), .tooManyRedirects(_, let url), .redirectLoop(let url),
            .redirectRefused(_, let url), .bodyTooLarge(_, let url),
            .cannotKeepBody(_, let url), .truncatedBody(_, _, let url), .connectionLost(_, let url),
            .badResponse(_, let url), .rejected(_, let url), .curl(_, _, let url):
            url.withoutUser
        }
    }
}

extension TransferError: CustomStringConvertible, LocalizedError {
    /// What happened, and to which URL, in one English sentence without a full stop.
    public var description: String {
        guard let url else { return what }
        return "\(what): \(url.absoluteString)".withoutUsers
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }

    /// Somebody else's reason, without the full stop of a sentence.
    private static func clause(_ reason: any Error) -> String {
        let text = (reason as? any LocalizedError)?.errorDescription ?? "\(reason)"
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    private var what: String {
        switch self {
        case .cancelled: "the transfer was cancelled"
        case .invalidRequest(let reason, _): "the request cannot be sent, \(reason)"
        case .unsupportedScheme(let scheme, _):
            "only http and https are supported, not “\(scheme)”"
        case .cannotResolve(let host, _): "the host “\(host)” was not found"
        case .cannotConnect(let host, let reason, _): "cannot connect to “\(host)”, \(reason)"
        case .notConnected(let host, _): "there is no network that leads to “\(host)”"
        case .addressRefused(let address, let range, _):
            "the host leads to \(address), a \(range.name) address that is not allowed"
        case .tls(_, let reason, _): "no secure connection, \(reason)"
        case .timedOut(let phase, let limit, _): "waited \(limit) in vain \(phase.rawValue)"
        case .tooManyRedirects(let limit, _): "more than \(limit) redirects"
        case .redirectLoop: "the redirects go in a circle"
        case .redirectRefused(let target, _): "a redirect to “\(target)” is not allowed"
        case .bodyTooLarge(let limit, _): "the body is larger than \(limit) bytes"
        case .cannotKeepBody(let reason, _):
            "the body cannot be put into a temporary file, \(reason)"
        case .truncatedBody(let received, let expected, _):
            "the body ended after \(received) bytes"
                + (expected.map { " of \($0)" } ?? " before it was complete")
        case .connectionLost(let reason, _): "the connection was lost, \(reason)"
        case .badResponse(let reason, _): "the server's answer is not usable, \(reason)"
        case .rejected(let reason, _): "the answer was refused (\(Self.clause(reason)))"
        case .curl(let code, let message, _): "the transfer failed (libcurl \(code)), \(message)"
        }
    }
}

extension AddressRange {
    fileprivate var name: String {
        switch self {
        case .privateUse: "private"
        case .linkLocal: "link-local"
        default: rawValue
        }
    }
}

extension URL {
    /// The URL without name and password, which do not belong in messages and logs.
    var withoutUser: URL {
        guard user != nil || password != nil,
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        parts.user = nil
        parts.password = nil
        return parts.url ?? self
    }
}

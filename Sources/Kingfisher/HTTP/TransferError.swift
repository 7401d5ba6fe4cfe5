import CKFCurl
public import Foundation

/// The reason why a transfer did not deliver a complete body.
///
/// Indirect, so that a result without an error is small to copy.
public indirect enum TransferError: Error, Sendable {
    /// The phase of a transfer that timed out.
    public enum Phase: String, Sendable {
        /// Name resolution, connecting and the TLS handshake.
        case connect = "while connecting"
        /// The next byte of the response.
        case idle = "without data from the server"
        /// A body slower than ``TransferSettings/minimumSpeed``.
        case speed = "with a body below the minimum speed"
        /// The whole transfer.
        case total = "before the transfer was complete"
    }

    /// The transfer was cancelled.
    case cancelled
    /// The request is invalid.
    case invalidRequest(reason: String, url: URL?)
    /// The scheme is neither http nor https.
    case unsupportedScheme(String, url: URL)
    /// The host name could not be resolved.
    case cannotResolve(host: String, url: URL)
    /// The connection failed.
    case cannotConnect(host: String, reason: String, url: URL)
    /// The machine has no network, or no route to the host.
    case notConnected(host: String, url: URL)
    /// The address policy refused the address of the host.
    case addressRefused(address: String, range: AddressRange, url: URL)
    /// The TLS handshake failed, or the certificate is not trusted.
    case tls(TLSFault, reason: String, url: URL)
    /// A time limit was exceeded.
    case timedOut(Phase, limit: Duration, url: URL)
    /// There were more redirects than allowed.
    case tooManyRedirects(limit: Int, url: URL)
    /// The redirects form a loop.
    case redirectLoop(url: URL)
    /// A redirect leads to a scheme that is not allowed.
    case redirectRefused(target: String, url: URL)
    /// The stated or the received body is larger than allowed.
    case bodyTooLarge(limit: Int, url: URL)
    /// A large body could not be written to a temporary file, for example because the disk is full.
    case cannotKeepBody(reason: String, url: URL)
    /// The connection was closed before the end of the body.
    case truncatedBody(received: Int, expected: Int?, url: URL)
    /// The connection was lost.
    case connectionLost(reason: String, url: URL)
    /// The response is not valid HTTP.
    case badResponse(reason: String, url: URL)
    /// The system refused the thread that carries out transfers.
    case noThread(reason: String, url: URL?)
    /// The handler refused the response, for this reason.
    case rejected(reason: any Error, url: URL)
    /// Another error of libcurl, with its code.
    case curl(code: Int, message: String, url: URL)

    /// Whether the transfer was cancelled; cancellations are neither retried nor reported as
    /// failures.
    public var isCancellation: Bool {
        if case .cancelled = self { true } else { false }
    }

    /// Whether the same request may succeed later.
    public var isTransient: Bool {
        switch self {
        case .cannotResolve, .cannotConnect, .notConnected, .timedOut, .truncatedBody,
            .connectionLost, .noThread:
            true
        default: false
        }
    }

    /// Whether the same request without a range or a condition may succeed now: the server was
    /// reached, and did not answer as it should.
    var mayConcernFields: Bool {
        switch self {
        case .timedOut(.idle, _, _), .timedOut(.speed, _, _), .truncatedBody, .connectionLost,
            .badResponse, .curl:
            true
        default: false
        }
    }

    /// The URL of the error, without user name and password.
    public var url: URL? {
        switch self {
        case .cancelled: nil
        case .invalidRequest(_, let url), .noThread(_, let url): url?.withoutUser
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
    /// The error as one sentence without a full stop, with the URL before its query.
    public var description: String {
        let place = url.map { ": \($0.absoluteString)" } ?? ""
        return "\(what)\(place)".disclosing(.path)
    }

    /// The same text as ``description``.
    public var errorDescription: String? { description }

    /// Another error's description without a full stop.
    private static func clause(_ reason: any Error) -> String {
        let text = (reason as? any LocalizedError)?.errorDescription ?? "\(reason)"
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// The scheme and the host of a URL; the scheme alone if it has no host, as in `data:` URLs.
    private static func place(_ target: String) -> String {
        guard target.contains("://") else { return target.prefix { $0 != ":" } + ":" }
        return target.disclosing(.host)
    }

    private var what: String {
        switch self {
        case .cancelled: "the transfer was cancelled"
        case .invalidRequest(let reason, _): "the request cannot be sent, \(reason)"
        case .unsupportedScheme(let scheme, _):
            "only http and https are supported, not “\(scheme)”"
        case .cannotResolve(let host, _): "the host “\(host)” was not found"
        case .cannotConnect(let host, let reason, _): "cannot connect to “\(host)”, \(reason)"
        case .notConnected(let host, _): "there is no network connection to “\(host)”"
        case .addressRefused(let address, let range, _):
            "the host has the address \(address), which is not allowed (\(range.name))"
        case .tls(_, let reason, _): "the secure connection failed, \(reason)"
        case .timedOut(let phase, let limit, _): "timed out after \(limit) \(phase.rawValue)"
        case .tooManyRedirects(let limit, _): "more than \(limit) redirects"
        case .redirectLoop: "the redirects form a loop"
        case .redirectRefused(let target, _):
            "a redirect to “\(Self.place(target))” is not allowed"
        case .bodyTooLarge(let limit, _): "the body is larger than \(limit) bytes"
        case .cannotKeepBody(let reason, _):
            "the body cannot be written to a temporary file, \(reason)"
        case .truncatedBody(let received, let expected, _):
            "the body ended after \(received) bytes"
                + (expected.map { " of \($0)" } ?? " before it was complete")
        case .connectionLost(let reason, _): "the connection was lost, \(reason)"
        case .badResponse(let reason, _): "the server's response is not usable, \(reason)"
        case .noThread(let reason, _): "the transfer has no thread, \(reason)"
        case .rejected(let reason, _): "the response was refused (\(Self.clause(reason)))"
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
    /// The URL without user name and password, which must not appear in messages and logs.
    var withoutUser: URL {
        guard user != nil || password != nil,
            var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        else { return self }
        parts.user = nil
        parts.password = nil
        return parts.url ?? self
    }
}

/// The reason why a secure connection failed.
public enum TLSFault: String, Sendable {
    /// There was no common protocol or cipher, or the handshake was interrupted.
    case handshake
    /// The server's certificate has expired.
    case certificateExpired
    /// The server's certificate is not valid yet.
    case certificateNotYetValid
    /// The server's certificate is self-signed, or signed by an unknown authority.
    case unknownAuthority
    /// The server's certificate is for another host, revoked, or unacceptable for another reason.
    case certificateUntrusted
    /// The client's certificate is unusable, or the server does not accept it.
    case clientCertificate
}

extension TLSFault {
    /// Maps an error of libcurl.
    ///
    /// - Parameters:
    ///   - code: The result of the transfer.
    ///   - verification: OpenSSL's verification result of the certificate, an `X509_V_ERR` of
    ///     `openssl-verification-options(1)`; 0 if it was valid or not verified.
    init(_ code: CURLcode, verification: Int) {
        switch code {
        case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: self = .clientCertificate
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE:
            self.init(verification: verification)
        default: self = .handshake
        }
    }

    /// Maps a verification error of OpenSSL, an `X509_V_ERR`.
    init(verification: Int) {
        self =
            switch verification {
            case 9: .certificateNotYetValid
            case 10: .certificateExpired
            case 2, 18, 19, 20, 21: .unknownAuthority
            default: .certificateUntrusted
            }
    }
}

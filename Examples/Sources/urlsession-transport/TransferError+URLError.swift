import Foundation
import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension TransferError {
    /// Converts a session's error to the library's.
    init(
        _ error: any Error,
        url: URL,
        _ settings: TransferSettings,
        received: Int,
        expected: Int?
    ) {
        let reason = error.localizedDescription
        guard let error = error as? URLError else {
            self = .connectionLost(reason: reason, url: url)
            return
        }
        let host = url.host ?? ""
        switch error.code {
        case .cancelled, .userCancelledAuthentication: self = .cancelled
        case .timedOut: self = .timedOut(.idle, limit: settings.idleTimeout, url: url)
        case .cannotFindHost, .dnsLookupFailed: self = .cannotResolve(host: host, url: url)
        case .cannotConnectToHost, .notConnectedToInternet:
            self = .cannotConnect(host: host, reason: reason, url: url)
        case .httpTooManyRedirects:
            self = .tooManyRedirects(limit: settings.maxRedirects, url: url)
        case .badURL: self = .invalidRequest(reason: reason, url: url)
        case .unsupportedURL: self = .unsupportedScheme(url.scheme ?? "", url: url)
        case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired:
            self = .tls(.handshake, reason: reason, url: url)
        case .badServerResponse, .cannotDecodeContentData, .cannotDecodeRawData,
            .cannotParseResponse, .zeroByteResource:
            self = .badResponse(reason: reason, url: url)
        default:
            // Foundation has no error code for a truncated body.
            if let expected, received < expected {
                self = .truncatedBody(received: received, expected: expected, url: url)
            } else {
                self = .connectionLost(reason: reason, url: url)
            }
        }
    }
}

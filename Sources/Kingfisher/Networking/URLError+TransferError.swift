public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLError {
    /// Makes Foundation's error for a failed transfer, for code written for `URLSession`.
    ///
    /// `localizedDescription` is the text of the transfer's error, and `failingURL` its URL without
    /// user name and password. `userInfo[NSUnderlyingErrorKey]` is the ``TransferError``.
    public init(_ error: TransferError) {
        var info: [String: Any] = [
            NSUnderlyingErrorKey: error,
            NSLocalizedDescriptionKey: error.description,
        ]
        info[NSURLErrorFailingURLErrorKey] = error.url
        self.init(error.code, userInfo: info)
    }

    /// `error` as a `URLError` if it is a ``TransferError``; unchanged otherwise.
    ///
    /// An error reported by a `URLProtocol` class is returned as it is.
    static func wrapping(_ error: any Error) -> any Error {
        switch error as? TransferError {
        case .rejected(let reason as URLError, _): reason
        case .rejected(let reason, _) where type(of: reason) is NSError.Type: reason
        case let failure?: URLError(failure)
        case nil: error
        }
    }
}

extension TransferError {
    /// The ``TransferError`` in `error` or in its underlying error.
    init?(in error: any Error) {
        let underlying = (error as? URLError)?.userInfo[NSUnderlyingErrorKey]
        guard let error = error as? TransferError ?? underlying as? TransferError else {
            return nil
        }
        self = error
    }

    /// Foundation's code for this error.
    ///
    /// | error | code |
    /// |---|---|
    /// | ``cancelled`` | `.cancelled` |
    /// | ``invalidRequest(reason:url:)`` | `.badURL` |
    /// | ``unsupportedScheme(_:url:)``, ``redirectRefused(target:url:)`` | `.unsupportedURL` |
    /// | ``cannotResolve(host:url:)`` | `.cannotFindHost` |
    /// | ``cannotConnect(host:reason:url:)``, ``addressRefused(address:range:url:)`` | `.cannotConnectToHost` |
    /// | ``notConnected(host:url:)`` | `.notConnectedToInternet` |
    /// | ``tls(_:reason:url:)`` | one of Foundation's six codes for TLS, see ``TLSFault`` |
    /// | ``timedOut(_:limit:url:)`` | `.timedOut` |
    /// | ``tooManyRedirects(limit:url:)``, ``redirectLoop(url:)`` | `.httpTooManyRedirects` |
    /// | ``bodyTooLarge(limit:url:)`` | `.dataLengthExceedsMaximum` |
    /// | ``cannotKeepBody(reason:url:)`` | `.cannotWriteToFile` |
    /// | ``truncatedBody(received:expected:url:)``, ``connectionLost(reason:url:)`` | `.networkConnectionLost` |
    /// | ``badResponse(reason:url:)`` | `.badServerResponse` |
    /// | ``rejected(reason:url:)`` | `.notConnectedToInternet` for a ``ConstrainedNetworkError``, the reason's own if it is a `URLError`, else `.unknown` |
    /// | ``noThread(reason:url:)``, ``curl(code:message:url:)`` | `.unknown` |
    public var code: URLError.Code {
        switch self {
        case .cancelled: .cancelled
        case .invalidRequest: .badURL
        case .unsupportedScheme, .redirectRefused: .unsupportedURL
        case .cannotResolve: .cannotFindHost
        case .cannotConnect, .addressRefused: .cannotConnectToHost
        case .notConnected: .notConnectedToInternet
        case .tls(let fault, _, _): fault.code
        case .timedOut: .timedOut
        case .tooManyRedirects, .redirectLoop: .httpTooManyRedirects
        case .bodyTooLarge: .dataLengthExceedsMaximum
        case .cannotKeepBody: .cannotWriteToFile
        case .truncatedBody, .connectionLost: .networkConnectionLost
        case .badResponse: .badServerResponse
        case .rejected(let reason, _):
            reason is ConstrainedNetworkError
                ? .notConnectedToInternet : (reason as? URLError)?.code ?? .unknown
        case .noThread, .curl: .unknown
        }
    }
}

extension TLSFault {
    fileprivate var code: URLError.Code {
        switch self {
        case .handshake: .secureConnectionFailed
        case .certificateExpired: .serverCertificateHasBadDate
        case .certificateNotYetValid: .serverCertificateNotYetValid
        case .unknownAuthority: .serverCertificateHasUnknownRoot
        case .certificateUntrusted: .serverCertificateUntrusted
        case .clientCertificate: .clientCertificateRejected
        }
    }
}

extension KingfisherError {
    /// The delay that the server requests before a retry: the `Retry-After` of a refused 429 or 503
    /// (RFC 9110, 10.2.3).
    ///
    /// For retry strategies. From zero to one day; nil without a valid delay.
    public var retryAfter: Duration? {
        guard case .responseError(.invalidHTTPStatusCode(let response)) = self,
            [429, 503].contains(response.statusCode)
        else { return nil }
        return response.value(forHTTPHeaderField: "Retry-After").flatMap {
            RetryAfter.delay($0, now: Date())
        }
    }

    /// The error of the transport, with libcurl's code if there is one; nil for other failures.
    ///
    /// It is the failure of the `URLError` in ``ResponseErrorReason/URLSessionError(error:)`` in
    /// more detail. For retry strategies; see ``TransferError/isTransient``.
    public var transferError: TransferError? {
        guard case .responseError(.URLSessionError(let error)) = self else { return nil }
        return TransferError(in: error)
    }
}

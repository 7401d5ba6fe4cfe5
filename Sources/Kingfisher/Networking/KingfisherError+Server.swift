import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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

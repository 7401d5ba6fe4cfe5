import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension KingfisherError {
    /// How long the server asks to wait before another try: `Retry-After` of a refused 429 or 503
    /// (RFC 9110, 10.2.3).
    ///
    /// For retry strategies. From zero to a day; nil without a readable wait.
    public var retryAfter: Duration? {
        guard case .responseError(.invalidHTTPStatusCode(let response)) = self,
            [429, 503].contains(response.statusCode)
        else { return nil }
        return response.value(forHTTPHeaderField: "Retry-After").flatMap {
            RetryAfter.delay($0, now: Date())
        }
    }

    /// Why the transport failed, with libcurl's code if there was one; nil for other failures.
    ///
    /// The same failure as the `URLError` in ``ResponseErrorReason/URLSessionError(error:)``, in
    /// more detail. For retry strategies; see ``TransferError/isTransient``.
    public var transferError: TransferError? {
        guard case .responseError(.URLSessionError(let error)) = self else { return nil }
        return TransferError(in: error)
    }
}

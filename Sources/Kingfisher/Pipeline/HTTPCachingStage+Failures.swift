import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPCachingStage {
    /// Whether a conditional request has failed that may succeed without its condition.
    ///
    /// Otherwise a server that fails such requests would fail every later load of the stale image.
    /// Where the stale image is shown in place of a server's failure, the request waits for the next
    /// load. A 404 is checked as well, because it takes the image's place.
    func mayRefuseCondition(
        _ error: any Error,
        about decision: Decision?,
        _ conditional: ConditionalRequest?
    ) -> Bool {
        guard conditional?.condition?.fields.isEmpty == false,
            let error = error as? KingfisherError, case .responseError(let reason) = error
        else { return false }
        if error.isServerFailure, decision?.policy.isShownDespiteFailure == true { return false }
        return switch reason {
        case .invalidHTTPStatusCode: true
        case .URLSessionError(let error): TransferError(in: error)?.mayConcernFields == true
        default: false
        }
    }

    /// The image used in place of a failed request.
    ///
    /// - Throws: The error, if there is none.
    func recover(
        _ decision: Decision?,
        from error: any Error,
        _ conditional: ConditionalRequest?
    ) throws -> LoadedImage {
        noteFailure(error, conditional)
        guard let decision, (error as? KingfisherError)?.isServerFailure == true,
            decision.policy.mayStandForError
        else { throw error }
        return decision.hit.with(.stale)
    }

    /// Records that there is no image, if the response says so.
    func noteFailure(_ error: any Error, _ conditional: ConditionalRequest?) {
        guard case KingfisherError.responseError(.invalidHTTPStatusCode) = error,
            let response = conditional?.chain.steps?.response, !request.removals.image.isRemoved
        else { return }
        let isGone = response.statusCode == 404 || response.statusCode == 410
        let record = control.isNoStore ? nil : record(response, conditional)
        guard isGone || record?.isNegative == true else { return }
        removeImage()
        if let record, record.isNegative {
            cache.noteAbsence(record, of: request.absentEntry, remaining: record.answer.lifetime)
        }
    }
}

extension KingfisherError {
    /// Whether the server could not be reached, or returned a server error (RFC 5861, 4).
    fileprivate var isServerFailure: Bool {
        guard !isCancellation, case .responseError(let reason) = self else { return false }
        switch reason {
        case .URLSessionError: return true
        case .invalidHTTPStatusCode(let response):
            return [500, 502, 503, 504].contains(response.statusCode)
        default: return false
        }
    }
}

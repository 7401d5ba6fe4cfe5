import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The texts that an app can show to its users; those for developers are in `errorDescription`.
extension KingfisherError {
    /// The reason in plain words for the users of an app.
    ///
    /// For example `The server answered 404 Not Found.` Contains no advice for developers, no path,
    /// and of a URL at most the name of the host.
    public var failureReason: String? {
        switch self {
        case .requestError(let reason): reason.words
        case .responseError(let reason): reason.words
        case .cacheError(let reason): reason.words
        case .processorError(let reason): reason.words
        case .imageSettingError(let reason): reason.words
        }
    }
}

private enum Words {
    static let cancelled = "Loading was cancelled."
    static let tooLarge = "The image is too large."
    static let unusableAddress = "The address of the image is not valid."
    static let unusableResponse = "The server sent an unusable response."
    static let damaged = "The file is not an image, or it is damaged."
    static let unreadable = "The image could not be read."
    static let unknown = "The image could not be loaded."
}

extension KingfisherError.RequestErrorReason {
    fileprivate var words: String {
        switch self {
        case .emptyRequest, .invalidURL: Words.unusableAddress
        case .taskCancelled, .livePhotoTaskCancelled, .asyncTaskContextCancelled,
            .dataProviderCancelled:
            Words.cancelled
        }
    }
}

extension KingfisherError.ResponseErrorReason {
    fileprivate var words: String {
        switch self {
        case .invalidHTTPStatusCode(let response): words(status: response.statusCode)
        case .URLSessionError(let error): words(transfer: error)
        case .noURLResponse: "The server did not answer."
        case .invalidURLResponse, .dataModifyingFailed, .cancelledByDelegate:
            Words.unusableResponse
        }
    }

    private func words(status: Int) -> String {
        guard (400...599).contains(status) else { return Words.unusableResponse }
        let name = HTTPURLResponse.localizedString(forStatusCode: status)
        return "The server answered \(status) \(name)."
    }

    private func words(transfer error: any Error) -> String {
        let transfer = TransferError(in: error)
        let host = transfer?.url?.host ?? (error as? URLError)?.failingURL?.host
        let server = host.map { "The server “\($0)”" } ?? "The server"
        return switch transfer?.code ?? (error as? URLError)?.code {
        case .cancelled?: Words.cancelled
        case .notConnectedToInternet?:
            isMetered(transfer)
                ? "The image is not loaded over a metered network."
                : "There is no network connection."
        case .cannotFindHost?: "\(server) was not found."
        case .cannotConnectToHost?: "\(server) cannot be reached."
        case .timedOut?: "\(server) took too long to answer."
        case .networkConnectionLost?: "The connection was lost."
        case .dataLengthExceedsMaximum?: Words.tooLarge
        case .cannotWriteToFile?: "There is no space to store the image."
        case .badURL?, .unsupportedURL?: Words.unusableAddress
        case .httpTooManyRedirects?, .badServerResponse?: Words.unusableResponse
        case .secureConnectionFailed?, .serverCertificateHasBadDate?,
            .serverCertificateNotYetValid?, .serverCertificateHasUnknownRoot?,
            .serverCertificateUntrusted?, .clientCertificateRejected?:
            "There is no secure connection to the server."
        default: Words.unknown
        }
    }

    private func isMetered(_ transfer: TransferError?) -> Bool {
        if case .rejected(let reason, _)? = transfer {
            reason is ConstrainedNetworkError
        } else {
            false
        }
    }
}

extension KingfisherError.CacheErrorReason {
    fileprivate var words: String {
        switch self {
        case .imageNotExisting: "The image is not stored on this device."
        case .cannotConvertToData, .cannotSerializeImage, .cannotCreateCacheFile,
            .cannotCreateDirectory, .cannotSetCacheFileAttribute, .diskStorageIsNotReady:
            "The image could not be stored."
        case .fileEnumeratorCreationFailed, .invalidFileEnumeratorContent, .invalidURLResource,
            .cannotLoadDataFromDisk, .missingLivePhotoResourceOnDisk:
            Words.unreadable
        }
    }
}

extension KingfisherError.ProcessorErrorReason {
    fileprivate var words: String {
        switch self {
        case .processingFailed(_, .data(let data)):
            return IsolatedDecoding.isTooLarge(data) ? Words.tooLarge : Words.damaged
        case .processingFailed(_, .image):
            if case .resultTooLarge = processingError { return Words.tooLarge }
            return "The image could not be displayed."
        }
    }
}

extension KingfisherError.ImageSettingErrorReason {
    fileprivate var words: String {
        switch self {
        case .emptySource: "There is no image."
        case .notCurrentSourceTask, .notCurrentLivePhotoSourceTask:
            "Another image was loaded instead."
        case .dataProviderError(_, let error): words(provider: error)
        case .alternativeSourcesExhausted(let errors):
            errors.last?.error.failureReason ?? Words.unknown
        case .livePhotoResultError(_, let error, _):
            (error as? KingfisherError)?.failureReason ?? Words.unknown
        }
    }

    private func words(provider error: any Error) -> String {
        switch error {
        case LocalFileError.tooLarge: Words.tooLarge
        case let error as KingfisherError: error.failureReason ?? Words.unreadable
        case let error as CocoaError where error.code == .fileReadNoSuchFile:
            "The file does not exist."
        case let error as CocoaError where error.code == .fileReadNoPermission:
            "The file may not be read."
        default: Words.unreadable
        }
    }
}

/// Texts for errors, both of this library and of others.
enum ErrorText {
    /// The description of the error as a sentence with a full stop.
    static func sentence(_ error: any Error) -> String {
        let text = clause(error)
        return text.hasSuffix(".") ? text : text + "."
    }

    private static func clause(_ error: any Error) -> String {
        if let text = (error as? any LocalizedError)?.errorDescription { return text }
        if error is CancellationError { return "it was cancelled" }
        // Checks the static type, because every error can be cast to `NSError`, which has a
        // description.
        let kind = type(of: error)
        if error is any CustomNSError || kind is NSError.Type {
            return foundation(error as NSError)
        }
        if kind is any CustomStringConvertible.Type { return "\(error)" }
        // Without a description the names of the type and of the case are at least searchable.
        return Mirror(reflecting: error).displayStyle == .enum
            ? "\(kind).\(error)" : "\(error)"
    }

    /// Foundation's description names no file and puts a general phrase before the reason.
    private static func foundation(_ error: NSError) -> String {
        guard let reason = error.localizedFailureReason else { return error.localizedDescription }
        let path = error.userInfo[NSFilePathErrorKey] as? String
        return path.map { "\($0): \(reason)" } ?? reason
    }
}

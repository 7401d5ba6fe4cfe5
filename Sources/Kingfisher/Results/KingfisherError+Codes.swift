public import Foundation

extension KingfisherError: CustomNSError {
    /// The domain of this library's errors.
    public static let domain = "com.onevcat.Kingfisher.Error"

    /// The domain of the error as an `NSError`; the same text as ``domain``.
    public static var errorDomain: String { domain }

    /// The user info of the error as an `NSError`; holds its description.
    public var errorUserInfo: [String: Any] {
        errorDescription.map { [NSLocalizedDescriptionKey: $0] } ?? [:]
    }

    /// The code of the reason; each case documents its own.
    public var errorCode: Int {
        switch self {
        case .requestError(let reason): reason.code
        case .responseError(let reason): reason.code
        case .cacheError(let reason): reason.code
        case .processorError(let reason): reason.code
        case .imageSettingError(let reason): reason.code
        }
    }
}

extension KingfisherError.RequestErrorReason {
    var code: Int {
        switch self {
        case .emptyRequest: 1001
        case .invalidURL: 1002
        case .taskCancelled: 1003
        case .livePhotoTaskCancelled: 1004
        case .asyncTaskContextCancelled: 1005
        case .dataProviderCancelled: 1006
        }
    }
}

extension KingfisherError.ResponseErrorReason {
    var code: Int {
        switch self {
        case .invalidURLResponse: 2001
        case .invalidHTTPStatusCode: 2002
        case .URLSessionError: 2003
        case .dataModifyingFailed: 2004
        case .noURLResponse: 2005
        case .cancelledByDelegate: 2006
        }
    }
}

extension KingfisherError.CacheErrorReason {
    var code: Int {
        switch self {
        case .fileEnumeratorCreationFailed: 3001
        case .invalidFileEnumeratorContent: 3002
        case .invalidURLResource: 3003
        case .cannotLoadDataFromDisk: 3004
        case .cannotCreateDirectory: 3005
        case .imageNotExisting: 3006
        case .cannotConvertToData: 3007
        case .cannotSerializeImage: 3008
        case .cannotCreateCacheFile: 3009
        case .cannotSetCacheFileAttribute: 3010
        case .diskStorageIsNotReady: 3011
        case .missingLivePhotoResourceOnDisk: 3012
        }
    }
}

extension KingfisherError.ProcessorErrorReason {
    var code: Int {
        switch self {
        case .processingFailed: 4001
        case .resultTooLarge: 4002
        case .isolationFailed: 4003
        }
    }
}

extension KingfisherError.ImageSettingErrorReason {
    var code: Int {
        switch self {
        case .emptySource: 5001
        case .notCurrentSourceTask: 5002
        case .dataProviderError: 5003
        case .alternativeSourcesExhausted: 5004
        case .notCurrentLivePhotoSourceTask: 5005
        case .livePhotoResultError: 5006
        }
    }
}

public import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

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
        switch processingError {
        case nil: 4001
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

/// Why a worker process returned no image; see ``ProcessIsolation``.
public enum IsolationFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The worker was killed by a signal: a fault in a decoder, or the memory limit.
    case crashed(signal: Int32)
    /// The worker made a system call that its sandbox forbids; the value is the system call's
    /// number, or -1 if the worker could not report it.
    case forbiddenSystemCall(number: Int32)
    /// The worker exited by itself with this code.
    case ended(code: Int32)
    /// The worker exceeded the time limit.
    case timedOut(Duration)
    /// The worker sent an invalid response.
    case invalidAnswer(String)
    /// No worker is available, for this reason.
    case unavailable(String)

    /// A clause such as `the library that reads the file crashed (signal 11 in its worker process)`.
    public var description: String {
        switch self {
        case .crashed(SIGKILL):
            "the worker process was ended from outside, or because memory was short (signal \(SIGKILL))"
        case .crashed(let signal) where [SIGABRT, SIGILL, SIGTRAP].contains(signal):
            "the library that reads the file stopped on an error of its own "
                + "(signal \(signal) in its worker process)"
        case .crashed(let signal):
            "the library that reads the file crashed (signal \(signal) in its worker process)"
        case .forbiddenSystemCall(let number):
            "the library that reads the file asked for more than a worker process may do"
                + (number < 0 ? "" : " (system call \(number))")
        case .ended(let code): "the worker process ended early (code \(code))"
        case .timedOut(let limit): "reading the file took longer than \(limit)"
        case .invalidAnswer(let detail): "the worker process sent an invalid response: \(detail)"
        case .unavailable(let reason): "no worker process is available: \(reason)"
        }
    }
}

extension IsolationFailure {
    init(_ failure: WorkerFailure) {
        self =
            switch failure {
            case .crashed(let signal): .crashed(signal: signal)
            case .forbiddenCall(let number): .forbiddenSystemCall(number: number)
            case .exited(let code): .ended(code: code)
            case .timedOut(let limit): .timedOut(limit)
            case .invalidAnswer(let detail): .invalidAnswer(detail)
            case .cannotStart, .noProcess, .noMemory, .requestTooLarge, .stopped, .cancelled:
                .unavailable("\(failure)")
            }
    }
}

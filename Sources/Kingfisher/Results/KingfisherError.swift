public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Every error of the library.
///
/// Boxed: the reasons take up to 667 bytes, and each function that may throw one reserves them.
public indirect enum KingfisherError: Error {
    /// What can go wrong before or around a request; codes 1001 to 1006.
    public enum RequestErrorReason: Sendable {
        /// 1001: the request modifier gave no request.
        case emptyRequest
        /// 1002: the request has no URL, an empty one, or one that is not http or https.
        case invalidURL(request: URLRequest)
        /// 1003: a caller withdrew or was cancelled by force.
        case taskCancelled(task: SessionDataTask, token: SessionDataTask.CancelToken)
        /// 1004: the load of a live photo was cancelled.
        case livePhotoTaskCancelled(source: LivePhotoSource)
        /// 1005: the surrounding task was cancelled before there was a download to cancel.
        case asyncTaskContextCancelled
        /// 1006: the load from a provider was cancelled.
        case dataProviderCancelled(provider: any ImageDataProvider)
    }

    /// What can be wrong with a response; codes 2001 to 2006.
    public enum ResponseErrorReason: Sendable {
        /// 2001: the response is not HTTP.
        case invalidURLResponse(response: URLResponse)
        /// 2002: the status code was refused.
        case invalidHTTPStatusCode(response: HTTPURLResponse)
        /// 2003: the transfer failed; the error tells how.
        // swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
        case URLSessionError(error: any Error)
        /// 2004: the delegate's data hook gave nothing.
        case dataModifyingFailed(task: SessionDataTask)
        /// 2005: there was no response; never raised.
        case noURLResponse(task: SessionDataTask)
        /// 2006: the delegate refused the response.
        case cancelledByDelegate(response: URLResponse)
    }

    /// What can go wrong in the cache; codes 3001 to 3012.
    ///
    /// `@unchecked`: `object` and `attributes` are only ever read.
    public enum CacheErrorReason: @unchecked Sendable {
        /// 3001: the folder cannot be listed.
        case fileEnumeratorCreationFailed(url: URL)
        /// 3002: listing the folder gave something else than files.
        case invalidFileEnumeratorContent(url: URL)
        /// 3003: the metadata of an existing file cannot be read.
        case invalidURLResource(error: any Error, key: String, url: URL)
        /// 3004: the file is there but cannot be read.
        case cannotLoadDataFromDisk(url: URL, error: any Error)
        /// 3005: the folder cannot be made.
        case cannotCreateDirectory(path: String, error: any Error)
        /// 3006: the image is not in the cache, and the options allow no other source.
        case imageNotExisting(key: String)
        /// 3007: the value cannot be turned into bytes.
        case cannotConvertToData(object: Any, error: any Error)
        /// 3008: the serializer gave no bytes.
        case cannotSerializeImage(
            image: KFCrossPlatformImage?,
            original: Data?,
            serializer: any CacheSerializer
        )
        /// 3009: the file cannot be written.
        case cannotCreateCacheFile(fileURL: URL, key: String, data: Data, error: any Error)
        /// 3010: the file's attributes cannot be set; the file is removed again.
        case cannotSetCacheFileAttribute(
            filePath: String,
            attributes: [FileAttributeKey: Any],
            error: any Error
        )
        /// 3011: the folder could not be made when the storage was opened.
        case diskStorageIsNotReady(cacheURL: URL)
        /// 3012: a part of a live photo is missing after its download.
        case missingLivePhotoResourceOnDisk(_ resource: LivePhotoResource)
    }

    /// What can go wrong in a processor; codes 4001 to 4003.
    public enum ProcessorErrorReason: Sendable {
        /// 4001: the processor gave no image.
        case processingFailed(processor: any ImageProcessor, item: ImageProcessItem)
        /// 4002: the processor asked for an image above the limits; the size is in pixels.
        case resultTooLarge(processor: any ImageProcessor, size: CGSize, limits: ResultLimits)
        /// 4003: the worker process of an isolated load made no image.
        case isolationFailed(processor: any ImageProcessor, failure: IsolationFailure)
    }

    /// What can go wrong when an image is set on a view; codes 5001 to 5006.
    public enum ImageSettingErrorReason: Sendable {
        /// 5001: there is no source.
        case emptySource
        /// 5002: another load took over the view; carries what this one got.
        case notCurrentSourceTask(
            result: RetrieveImageResult?,
            error: (any Error)?,
            source: Source
        )
        /// 5003: the provider failed.
        case dataProviderError(provider: any ImageDataProvider, error: any Error)
        /// 5004: every source failed, in this order, the original first.
        case alternativeSourcesExhausted([PropagationError])
        /// 5005: another load took over the live photo view.
        case notCurrentLivePhotoSourceTask(
            result: RetrieveLivePhotoResult?,
            error: (any Error)?,
            source: LivePhotoSource
        )
        /// 5006: the live photo cannot be made.
        case livePhotoResultError(
            result: RetrieveLivePhotoResult?,
            error: (any Error)?,
            source: LivePhotoSource
        )
    }

    /// Something before or around a request.
    case requestError(reason: RequestErrorReason)
    /// Something about a response.
    case responseError(reason: ResponseErrorReason)
    /// Something in the cache.
    case cacheError(reason: CacheErrorReason)
    /// Something in a processor.
    case processorError(reason: ProcessorErrorReason)
    /// Something about setting an image.
    case imageSettingError(reason: ImageSettingErrorReason)
}

extension KingfisherError {
    /// Whether a download was cancelled: code 1003 alone.
    ///
    /// See ``isCancellation`` for every kind of cancel.
    public var isTaskCancelled: Bool {
        if case .requestError(reason: .taskCancelled) = self { true } else { false }
    }

    /// Whether somebody cancelled the load, at whatever stage: codes 1003 to 1006.
    public var isCancellation: Bool {
        guard case .requestError(let reason) = self else { return false }
        switch reason {
        case .taskCancelled, .livePhotoTaskCancelled, .asyncTaskContextCancelled,
            .dataProviderCancelled:
            return true
        case .emptyRequest, .invalidURL:
            return false
        }
    }

    /// Whether this HTTP status code was refused.
    public func isInvalidResponseStatusCode(_ code: Int) -> Bool {
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = self else {
            return false
        }
        return response.statusCode == code
    }

    /// Whether any HTTP status code was refused.
    public var isInvalidResponseStatusCode: Bool {
        if case .responseError(reason: .invalidHTTPStatusCode) = self { true } else { false }
    }

    /// Whether another load took over the view: code 5002 alone.
    public var isNotCurrentTask: Bool {
        if case .imageSettingError(reason: .notCurrentSourceTask) = self { true } else { false }
    }
}

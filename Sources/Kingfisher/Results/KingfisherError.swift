public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// An error of this library.
///
/// Indirect, because the reasons take up to 667 bytes, which every throwing function would reserve.
public indirect enum KingfisherError: Error {
    /// A failure before or while sending a request; codes 1001 to 1006.
    public enum RequestErrorReason: Sendable {
        /// 1001: the request modifier returned no request.
        case emptyRequest
        /// 1002: the URL of the request is missing, empty, or neither http nor https.
        case invalidURL(request: URLRequest)
        /// 1003: the download was cancelled, by this caller or for all callers.
        case taskCancelled(task: SessionDataTask, token: SessionDataTask.CancelToken)
        /// 1004: the load of a live photo was cancelled.
        case livePhotoTaskCancelled(source: LivePhotoSource)
        /// 1005: the calling task was cancelled before the download started.
        case asyncTaskContextCancelled
        /// 1006: the load from a provider was cancelled.
        case dataProviderCancelled(provider: any ImageDataProvider)
    }

    /// An unusable response; codes 2001 to 2006.
    public enum ResponseErrorReason: Sendable {
        /// 2001: the response is not HTTP.
        case invalidURLResponse(response: URLResponse)
        /// 2002: the status code was refused.
        case invalidHTTPStatusCode(response: HTTPURLResponse)
        /// 2003: the transfer failed; `error` is the reason.
        // swift-format-ignore: AlwaysUseLowerCamelCase, the name that user code knows.
        case URLSessionError(error: any Error)
        /// 2004: the delegate returned no data from `imageDownloader(_:didDownload:with:)`.
        case dataModifyingFailed(task: SessionDataTask)
        /// 2005: there was no response; never thrown by this library.
        case noURLResponse(task: SessionDataTask)
        /// 2006: the delegate refused the response.
        case cancelledByDelegate(response: URLResponse)
    }

    // `@unchecked`: `object` and `attributes` are only ever read.
    /// A cache failure; codes 3001 to 3012.
    public enum CacheErrorReason: @unchecked Sendable {
        /// 3001: the folder cannot be listed.
        case fileEnumeratorCreationFailed(url: URL)
        /// 3002: the folder contains something other than files.
        case invalidFileEnumeratorContent(url: URL)
        /// 3003: the metadata of an existing file cannot be read.
        case invalidURLResource(error: any Error, key: String, url: URL)
        /// 3004: the file is there but cannot be read.
        case cannotLoadDataFromDisk(url: URL, error: any Error)
        /// 3005: the folder cannot be created.
        case cannotCreateDirectory(path: String, error: any Error)
        /// 3006: the image is not in the cache, and the options allow no other source.
        case imageNotExisting(key: String)
        /// 3007: the value cannot be converted to bytes.
        case cannotConvertToData(object: Any, error: any Error)
        /// 3008: the serializer returned no bytes.
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
        /// 3011: the folder could not be created when the storage was opened.
        case diskStorageIsNotReady(cacheURL: URL)
        /// 3012: a part of a live photo is missing after its download.
        case missingLivePhotoResourceOnDisk(_ resource: LivePhotoResource)
    }

    /// A failed processor; codes 4001 to 4003.
    public enum ProcessorErrorReason: Sendable {
        /// 4001: the processor returned no image.
        ///
        /// 4002 and 4003: the library stopped it, as ``KingfisherError/processingError`` says. The
        /// item is an image without pixels then.
        case processingFailed(processor: any ImageProcessor, item: ImageProcessItem)
    }

    /// A failure to set an image on a view; codes 5001 to 5006.
    public enum ImageSettingErrorReason: Sendable {
        /// 5001: there is no source.
        case emptySource
        /// 5002: another load replaced this one in the view; carries the result of this one.
        case notCurrentSourceTask(
            result: RetrieveImageResult?,
            error: (any Error)?,
            source: Source
        )
        /// 5003: the provider failed.
        case dataProviderError(provider: any ImageDataProvider, error: any Error)
        /// 5004: all sources failed; their errors in order, the original source first.
        case alternativeSourcesExhausted([PropagationError])
        /// 5005: another load replaced this one in the live photo view.
        case notCurrentLivePhotoSourceTask(
            result: RetrieveLivePhotoResult?,
            error: (any Error)?,
            source: LivePhotoSource
        )
        /// 5006: the live photo cannot be created.
        case livePhotoResultError(
            result: RetrieveLivePhotoResult?,
            error: (any Error)?,
            source: LivePhotoSource
        )
    }

    /// A failure before or while sending a request.
    case requestError(reason: RequestErrorReason)
    /// An unusable response.
    case responseError(reason: ResponseErrorReason)
    /// A cache failure.
    case cacheError(reason: CacheErrorReason)
    /// A failed processor.
    case processorError(reason: ProcessorErrorReason)
    /// A failure to set an image on a view.
    case imageSettingError(reason: ImageSettingErrorReason)
}

extension KingfisherError {
    /// Whether a download was cancelled (code 1003 only).
    ///
    /// See ``isCancellation`` for all kinds of cancellation.
    public var isTaskCancelled: Bool {
        if case .requestError(reason: .taskCancelled) = self { true } else { false }
    }

    /// Whether the load was cancelled at any stage (codes 1003 to 1006).
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

    /// Whether the response was refused because of this HTTP status code.
    public func isInvalidResponseStatusCode(_ code: Int) -> Bool {
        guard case .responseError(reason: .invalidHTTPStatusCode(let response)) = self else {
            return false
        }
        return response.statusCode == code
    }

    /// Whether the response was refused because of its HTTP status code.
    public var isInvalidResponseStatusCode: Bool {
        if case .responseError(reason: .invalidHTTPStatusCode) = self { true } else { false }
    }

    /// Whether another load replaced this one in the view (code 5002 only).
    public var isNotCurrentTask: Bool {
        if case .imageSettingError(reason: .notCurrentSourceTask) = self { true } else { false }
    }
}

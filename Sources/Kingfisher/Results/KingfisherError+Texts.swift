public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension KingfisherError: LocalizedError {
    /// What happened, to which URL or key, and what to do about it.
    public var errorDescription: String? {
        switch self {
        case .requestError(let reason): reason.text
        case .responseError(let reason): reason.text
        case .cacheError(let reason): reason.text
        case .processorError(let reason): reason.text
        case .imageSettingError(let reason): reason.text
        }
    }
}

/// The sentence of an error of ours or of somebody else's.
private func sentence(_ error: any Error) -> String {
    if let error = error as? any LocalizedError, let text = error.errorDescription { return text }
    return error is any CustomNSError ? error.localizedDescription : "\(error)"
}

extension KingfisherError.RequestErrorReason {
    var text: String {
        switch self {
        case .emptyRequest:
            "The request modifier returned no request, so nothing was loaded. Return the request, "
                + "changed or not, to go on."
        case .invalidURL(let request):
            "The request has no usable URL (\(request.url?.absoluteString ?? "none")). Give an "
                + "http or https URL with a host."
        case .taskCancelled(let task, let token):
            "The download of \(task.originalURL?.absoluteString ?? "an unknown URL") was cancelled "
                + "(caller \(token))."
        case .livePhotoTaskCancelled(let source):
            "The load of a live photo with \(source.resources.count) parts was cancelled."
        case .asyncTaskContextCancelled:
            "The task that asked for the image was cancelled before its download began."
        case .dataProviderCancelled(let provider):
            "The load from the provider of “\(provider.cacheKey)” was cancelled."
        }
    }
}

extension KingfisherError.ResponseErrorReason {
    var text: String {
        switch self {
        case .invalidURLResponse(let response):
            "The answer from \(response.url?.absoluteString ?? "the server") is not HTTP."
        case .invalidHTTPStatusCode(let response):
            "The server answered \(response.statusCode) for "
                + "\(response.url?.absoluteString ?? "the request"). Check the URL, or accept the "
                + "code in isValidStatusCode(_:for:) of the downloader's delegate."
        case .URLSessionError(let error):
            "The transfer failed: \(sentence(error))"
        case .dataModifyingFailed(let task):
            "The downloader's delegate returned no data for "
                + "\(task.originalURL?.absoluteString ?? "a download")."
        case .noURLResponse(let task):
            "There was no response for \(task.originalURL?.absoluteString ?? "a download")."
        case .cancelledByDelegate(let response):
            "The downloader's delegate refused the response from "
                + "\(response.url?.absoluteString ?? "the server")."
        }
    }
}

extension KingfisherError.CacheErrorReason {
    var text: String {
        switch self {
        case .fileEnumeratorCreationFailed(let url):
            "The cache folder \(url.path) cannot be listed. Check that it exists and is readable."
        case .invalidFileEnumeratorContent(let url):
            "The cache folder \(url.path) holds something that is no file."
        case .invalidURLResource(let error, let key, let url):
            "The metadata of \(url.path), cached for “\(key)”, cannot be read: \(sentence(error))"
        case .cannotLoadDataFromDisk(let url, let error):
            "The cached file \(url.path) cannot be read: \(sentence(error))"
        case .cannotCreateDirectory(let path, let error):
            "The cache folder \(path) cannot be made: \(sentence(error)) Check its permissions, "
                + "or give another folder."
        case .imageNotExisting(let key):
            "The image “\(key)” is not in the cache, and the options allow no other source."
        case .cannotConvertToData(_, let error):
            "The value cannot be turned into bytes for the disk cache: \(sentence(error))"
        case .cannotSerializeImage(_, _, let serializer):
            "\(type(of: serializer)) gave no bytes for the image, so it is not on disk."
        case .cannotCreateCacheFile(let fileURL, let key, let data, let error):
            "The \(data.count) bytes for “\(key)” cannot be written to \(fileURL.path): "
                + sentence(error)
        case .cannotSetCacheFileAttribute(let filePath, _, let error):
            "The attributes of \(filePath) cannot be set: \(sentence(error))"
        case .diskStorageIsNotReady(let cacheURL):
            "The disk cache in \(cacheURL.path) is not ready, because its folder could not be "
                + "made. Check the permissions of the folder above it."
        case .missingLivePhotoResourceOnDisk(let resource):
            "A part of the live photo (“\(resource.dataSource.cacheKey)”) is not on disk after its "
                + "download."
        }
    }
}

extension KingfisherError.ProcessorErrorReason {
    var text: String {
        switch self {
        case .processingFailed(let processor, let item):
            failure(of: processor, item: item)
        }
    }

    private func failure(of processor: any ImageProcessor, item: ImageProcessItem) -> String {
        let name = processor.identifier.isEmpty ? "The decoder" : "“\(processor.identifier)”"
        return switch item {
        case .image(let image):
            "\(name) made no image of a picture of \(image.pixelWidth) × \(image.pixelHeight) "
                + "pixels."
        case .data(let data):
            "\(name) made no image of \(data.count) bytes: \(UndecodableReason.text(for: data))."
        }
    }
}

extension KingfisherError.ImageSettingErrorReason {
    var text: String {
        switch self {
        case .emptySource:
            "There is no source to load an image from."
        case .notCurrentSourceTask(_, _, let source):
            "Another load took over before “\(source.cacheKey)” was finished; its image is not "
                + "shown."
        case .dataProviderError(let provider, let error):
            "The provider of “\(provider.cacheKey)” failed: \(sentence(error))"
        case .alternativeSourcesExhausted(let errors):
            "Every source failed: "
                + errors.map { "“\($0.source.cacheKey)”: \(sentence($0.error))" }
                .joined(separator: " ")
        case .notCurrentLivePhotoSourceTask:
            "Another load took over before the live photo was finished."
        case .livePhotoResultError(_, let error, _):
            "The live photo cannot be made: \(error.map(sentence) ?? "no reason was given")"
        }
    }
}

public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension KingfisherError: LocalizedError {
    /// The failure, its URL or key, and the remedy.
    ///
    /// User names, passwords and queries are removed from URLs, including URLs used as cache keys.
    public var errorDescription: String? {
        let text =
            switch self {
            case .requestError(let reason): reason.text
            case .responseError(let reason): reason.text
            case .cacheError(let reason): reason.text
            case .processorError(let reason): reason.text
            case .imageSettingError(let reason): reason.text
            }
        return text.disclosing(.path)
    }
}

private func sentence(_ error: any Error) -> String { ErrorText.sentence(error) }

private func name(_ url: URL?, or other: String) -> String { url?.absoluteString ?? other }

/// Advice for a failed transfer.
private func advice(_ error: any Error) -> String {
    let isTransient = TransferError(in: error)?.isTransient ?? (error is URLError)
    return isTransient
        ? "Check the connection and try again, manually or with a retry strategy."
        : "Check the URL and the server; retrying without a change will not help."
}

/// Advice for a refused status code.
private func advice(status: Int) -> String {
    switch status {
    case 401, 403, 407:
        "Provide a user name and password through the downloader's "
            + "authenticationChallengeResponder, or a token with a request modifier."
    case 408, 425, 429, 500...599:
        "Try again later, manually or with a retry strategy."
    default:
        "Check the URL, or accept the code in isValidStatusCode(_:for:) of the downloader's "
            + "delegate."
    }
}

private func pixels(of image: KFCrossPlatformImage) -> String {
    "\(image.pixelWidth) × \(image.pixelHeight) pixels"
}

/// The keys of a live photo's resources.
private func keys(_ source: LivePhotoSource) -> String {
    source.resources.map { "“\($0.dataSource.cacheKey)”" }.joined(separator: ", ")
}

private let askAgain = "Load it again if it is still needed."
private let checkFolder = "Check the permissions of the folder, or clear the cache."

extension KingfisherError.RequestErrorReason {
    var text: String {
        switch self {
        case .emptyRequest:
            "The request modifier returned no request, so nothing was loaded. Return the request, "
                + "modified or not."
        case .invalidURL(let request):
            "The request has no usable URL (\(name(request.url, or: "none"))). Use an "
                + "http or https URL with a host."
        case .taskCancelled(let task, _):
            "The download of \(name(task.originalURL, or: "an unknown URL")) was cancelled. "
                + askAgain
        case .livePhotoTaskCancelled(let source):
            "The load of a live photo with \(source.resources.count) resources "
                + "(\(keys(source))) was cancelled. \(askAgain)"
        case .asyncTaskContextCancelled:
            "The task that loads the image was cancelled before its download began. "
                + askAgain
        case .dataProviderCancelled(let provider):
            "The load from the provider of “\(provider.cacheKey)” was cancelled. \(askAgain)"
        }
    }
}

extension KingfisherError.ResponseErrorReason {
    var text: String {
        switch self {
        case .invalidURLResponse(let response):
            "The response from \(name(response.url, or: "the server")) is not HTTP. Use an "
                + "ImageDataProvider to load images that are not on a web server."
        case .invalidHTTPStatusCode(let response):
            "The server returned status \(response.statusCode) for "
                + "\(name(response.url, or: "the request")). \(advice(status: response.statusCode))"
        case .URLSessionError(let error):
            "The transfer failed: \(sentence(error)) \(advice(error))"
        case .dataModifyingFailed(let task):
            "The downloader's delegate returned no data for "
                + "\(name(task.originalURL, or: "a download")). Return the data, modified "
                + "or not."
        case .noURLResponse(let task):
            "The server sent no response for \(name(task.originalURL, or: "a download")). Try "
                + "again later."
        case .cancelledByDelegate(let response):
            "The downloader's delegate refused the response from "
                + "\(name(response.url, or: "the server")). Return .allow from the "
                + "delegate to accept it."
        }
    }
}

extension KingfisherError.CacheErrorReason {
    var text: String {
        switch self {
        case .fileEnumeratorCreationFailed(let url):
            "The cache folder \(url.path) cannot be listed. Check that it exists and is readable."
        case .invalidFileEnumeratorContent(let url):
            "The cache folder \(url.path) contains something other than files. Remove it, or clear "
                + "the cache."
        case .invalidURLResource(let error, let key, let url):
            "The metadata of \(url.path), cached for “\(key)”, cannot be read: \(sentence(error)) "
                + checkFolder
        case .cannotLoadDataFromDisk(let url, let error):
            "The cached file \(url.path) cannot be read: \(sentence(error)) \(checkFolder)"
        case .cannotCreateDirectory(let path, let error):
            "The cache folder \(path) cannot be created: \(sentence(error)) Check its permissions, "
                + "or use another folder."
        case .imageNotExisting(let key):
            "The image “\(key)” is not in the cache, and the options allow no other source. "
                + "Remove .onlyFromCache to load it."
        case .cannotConvertToData(_, let error):
            "The value cannot be converted to bytes for the disk cache: \(sentence(error)) Check "
                + "the implementation of toData()."
        case .cannotSerializeImage(let image, _, let serializer):
            "\(type(of: serializer)) returned no bytes for "
                + (image.map { "the image of \(pixels(of: $0))" } ?? "the image")
                + ", so it was not stored on disk. Use a serializer that can encode it, such as "
                + "FormatIndicatedCacheSerializer.png."
        case .cannotCreateCacheFile(_, let key, _, let error):
            "“\(key)” was not stored on disk: \(sentence(error)) Check the permissions of the "
                + "folder and the space on the disk."
        case .cannotSetCacheFileAttribute(let filePath, _, let error):
            "The attributes of \(filePath) cannot be set: \(sentence(error)) \(checkFolder)"
        case .diskStorageIsNotReady(let cacheURL):
            "The disk cache in \(cacheURL.path) is not ready, because its folder could not be "
                + "created. Check the permissions of the parent folder."
        case .missingLivePhotoResourceOnDisk(let resource):
            "A resource of the live photo (“\(resource.dataSource.cacheKey)”) is not on disk after "
                + "its download. Load the live photo again."
        }
    }
}

extension KingfisherError.ProcessorErrorReason {
    var text: String {
        switch self {
        case .processingFailed(let processor, let item): text(of: processor, item)
        }
    }

    private func text(of processor: any ImageProcessor, _ item: ImageProcessItem) -> String {
        switch processingError {
        case nil:
            failure(of: processor, item: item)
        case .resultTooLarge(let size, let limits):
            "\(name(of: processor)) would make an image of \(whole(size.width)) × \(whole(size.height)) "
                + "pixels; at most \(limits.maxPixelCount) pixels and \(limits.maxSide) per side "
                + "are allowed. Choose a smaller size, or raise the limits with .resultLimits."
        case .isolationFailed(let failure):
            "\(name(of: processor)) returned no image: \(failure). \(advice(for: failure))"
        }
    }

    /// A program can make the error with any size.
    private func whole(_ length: CGFloat) -> Int { Int(max(0, min(length, CGFloat(Int32.max)))) }

    private func reason(_ data: Data) -> String {
        IsolatedDecoding.undecodableReason(of: data) ?? IsolatedDecoding.exceededLimit(of: data)
            ?? UndecodableReason.refused
    }

    private func advice(for failure: IsolationFailure) -> String {
        switch failure {
        case .unavailable: "See ProcessIsolation."
        case .timedOut:
            "Raise ProcessIsolation.settings.timeLimit if the file is expected to take this long."
        case .crashed, .forbiddenSystemCall, .ended, .invalidAnswer:
            "This process is unharmed; do not decode the file without isolation."
        }
    }

    private func name(of processor: any ImageProcessor) -> String {
        processor.identifier.isEmpty || processor.carriesFile
            ? "The decoder" : "“\(processor.identifier)”"
    }

    private func failure(of processor: any ImageProcessor, item: ImageProcessItem) -> String {
        let name = name(of: processor)
        return switch item {
        case .image(let image):
            "\(name) returned no image for an input of \(pixels(of: image)). "
                + "Check that the processor's settings suit this size."
        case .data(let data):
            "\(name) returned no image for \(data.count) bytes: \(reason(data)). Check "
                + "the content of the source."
        }
    }
}

extension KingfisherError.ImageSettingErrorReason {
    var text: String {
        switch self {
        case .emptySource:
            "There is no source to load an image from. Use a URL, a resource or a provider."
        case .notCurrentSourceTask(_, _, let source):
            "Another load replaced that of “\(source.cacheKey)” before it finished, so its image is "
                + "not shown. Nothing is wrong if the view is reused, as in lists."
        case .dataProviderError(let provider, let error):
            "The provider of “\(provider.cacheKey)” failed: \(sentence(error)) Check "
                + "the data that the provider reads."
        case .alternativeSourcesExhausted(let errors):
            "Every source failed: "
                + errors.map { "“\($0.source.cacheKey)”: \(sentence($0.error))" }
                .joined(separator: " ") + " Check the sources, or try again later."
        case .notCurrentLivePhotoSourceTask(_, _, let source):
            "Another load replaced that of the live photo (\(keys(source))) before it finished. "
                + "Nothing is wrong if the view is reused."
        case .livePhotoResultError(_, let error, let source):
            "The live photo (\(keys(source))) cannot be created: "
                + "\(error.map(sentence) ?? "no reason was given.") Check its resources."
        }
    }
}

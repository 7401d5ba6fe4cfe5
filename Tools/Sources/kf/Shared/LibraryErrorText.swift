import Foundation
@_spi(Programs) import Kingfisher

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Describes the library's errors in the terms of the command line.
///
/// The library's own texts advise programmers and name options and delegates; these name command
/// line options.
enum LibraryErrorText {
    static func text(for error: KingfisherError) -> String {
        switch error {
        case .requestError(let reason): text(for: reason)
        case .responseError(let reason): text(for: reason)
        case .cacheError(let reason): text(for: reason)
        case .processorError(.processingFailed(_, let item)):
            error.processingError.map(text) ?? failedStep(item)
        case .imageSettingError(let reason): text(for: reason)
        }
    }

    private static func text(for error: ProcessingError) -> String {
        switch error {
        case .resultTooLarge(let size, let limits):
            "a step would make an image of \(Int(clamping: size.width)) × "
                + "\(Int(clamping: size.height)) pixels; the limit is \(limits.maxPixelCount) "
                + "in total and \(limits.maxSide) per side; choose a smaller size"
        case .isolationFailed(let failure): text(for: failure)
        }
    }

    private static func text(for failure: IsolationFailure) -> String {
        switch failure {
        // The worker could not be started, or was ended from outside or for lack of memory: that
        // says nothing about the file.
        case .unavailable, .crashed(signal: SIGKILL): "\(failure)"
        case .crashed, .forbiddenSystemCall, .ended, .timedOut, .invalidAnswer:
            "\(failure); treat the file with caution"
        }
    }

    private static func text(for reason: KingfisherError.RequestErrorReason) -> String {
        switch reason {
        case .invalidURL(let request):
            "'\(url(request.url))' cannot be loaded; give an http or https URL with a host"
        case .emptyRequest: "there is nothing to load"
        case .taskCancelled, .livePhotoTaskCancelled, .asyncTaskContextCancelled,
            .dataProviderCancelled:
            "the load was cancelled"
        }
    }

    private static func text(for reason: KingfisherError.ResponseErrorReason) -> String {
        switch reason {
        case .invalidHTTPStatusCode(let response): answer(response)
        case .URLSessionError(let error): transfer(error)
        case .invalidURLResponse(let response), .cancelledByDelegate(let response):
            "the response of \(url(response.url)) cannot be used"
        case .dataModifyingFailed, .noURLResponse: "the server did not respond; try again later"
        }
    }

    private static func text(for reason: KingfisherError.CacheErrorReason) -> String {
        switch reason {
        case .imageNotExisting(let key):
            "the cache does not have \(shown(key)); load it without --only-from-cache"
        case .cannotCreateDirectory(let path, let error):
            "the cache folder \(path) cannot be created: "
                + "\(SystemErrorText.text(for: error)); \(other)"
        case .diskStorageIsNotReady(let folder), .fileEnumeratorCreationFailed(let folder),
            .invalidFileEnumeratorContent(let folder):
            "the cache folder \(folder.path) cannot be used; check its permissions, or \(other)"
        case .cannotLoadDataFromDisk(let file, let error),
            .invalidURLResource(let error, _, let file):
            "the cached file \(file.path) cannot be read: \(SystemErrorText.text(for: error)); "
                + "--force-refresh loads it again"
        case .cannotCreateCacheFile(let file, _, _, let error):
            "the cache cannot write \(file.path): \(SystemErrorText.text(for: error)); \(other)"
        case .cannotSetCacheFileAttribute(let file, _, let error):
            "the cache cannot write \(file): \(SystemErrorText.text(for: error)); \(other)"
        case .cannotConvertToData, .cannotSerializeImage:
            "the image cannot be written to the cache; --no-cache loads without a cache"
        case .missingLivePhotoResourceOnDisk: "the cache lost a file; load the image again"
        }
    }

    private static func text(for reason: KingfisherError.ImageSettingErrorReason) -> String {
        switch reason {
        case .dataProviderError(_, let error): ErrorReport.reason(for: error)
        case .alternativeSourcesExhausted(let errors):
            errors.map { ErrorReport.reason(for: $0.error) }.joined(separator: "; ")
        case .emptySource: "there is nothing to load"
        case .notCurrentSourceTask, .notCurrentLivePhotoSourceTask: "the load was cancelled"
        case .livePhotoResultError: "the image cannot be created"
        }
    }

    private static let other = "choose another folder with --cache, or use --no-cache"

    // MARK: - Servers

    private static func answer(_ response: HTTPURLResponse) -> String {
        let status = response.statusCode
        let advice =
            switch status {
            case 301, 302, 303, 307, 308: "the redirect names no address; check the URL"
            case 401, 403: "send credentials with --header 'Authorization: …'"
            case 407: "the proxy requires credentials"
            case 408, 425, 429, 500...599: "try again later"
            default: "check the URL"
            }
        let name = HTTPURLResponse.localizedString(forStatusCode: status)
        return "the server answered \(status) (\(name)) for \(url(response.url)); \(advice)"
    }

    private static func transfer(_ error: any Error) -> String {
        let underlying = (error as? URLError)?.userInfo[NSUnderlyingErrorKey]
        let failure = error as? TransferError ?? underlying as? TransferError
        var text = SystemErrorText.text(for: failure ?? error)
        if text.hasSuffix(".") { text.removeLast() }
        return switch failure {
        case .timedOut: "\(text); increase --timeout"
        case let failure? where failure.isTransient:
            "\(text); check the connection and try again"
        default: text
        }
    }

    // MARK: - Steps

    /// Why no image was made; the library's own reason if the bytes cannot be decoded.
    private static func failedStep(_ item: ImageProcessItem) -> String {
        switch item {
        case .image(let image):
            return
                "a step returned no image for \(image.pixelWidth) × \(image.pixelHeight) "
                + "pixels; check its arguments"
        case .data(let data):
            return failedStep(data)
        }
    }

    /// The library's reason for bytes, without its advice.
    ///
    /// The library decodes the bytes again for it, in the same process as before: decoding here
    /// would bypass `--isolate`.
    private static func failedStep(_ data: Data) -> String {
        guard !data.isEmpty else { return "there are no bytes; check the source" }
        let decoding = KingfisherError.processorError(
            reason: .processingFailed(processor: DefaultImageProcessor.default, item: .data(data))
        )
        let sentence = decoding.errorDescription ?? ""
        let reason = sentence.split(separator: ":", maxSplits: 1).last.map(String.init) ?? sentence
        let clause = reason.components(separatedBy: ". ").first ?? reason
        if clause.contains("they can be decoded") {
            return "a step returned no image for the \(Readable.bytes(data.count)); "
                + "check its arguments"
        }
        return "the \(Readable.bytes(data.count)) cannot be decoded:" + advised(clause, of: data)
    }

    /// A reason of the library with advice for the command line.
    private static func advised(_ clause: String, of data: Data) -> String {
        if let smaller = clause.range(of: "decode it to a smaller size") {
            return clause.replacingCharacters(
                in: smaller,
                with: "kf get -p downsample:2000x2000 makes it smaller"
            )
        }
        if clause.contains("is not installed") { return clause + "; install it" }
        if clause.contains("the data ends before") {
            return clause + "; check the source, or take what is there with --accept-truncated"
        }
        if PDFDocumentInfo.isBeginning(ofDocument: data) {
            return clause + "; a PDF document is drawn from a file, not from a server or a pipe"
        }
        if VideoInfo.isBeginning(ofVideo: data) {
            return clause + "; --at or --cover takes a frame of a video on a server, and a video "
                + "from a pipe needs a file"
        }
        return clause + "; check the source"
    }

    // MARK: - Names and numbers

    private static func url(_ url: URL?) -> String { shown(url?.absoluteString ?? "the server") }

    /// A URL or key for messages: one line, without credentials, `data:` URLs shortened.
    static func shown(_ text: String) -> String {
        let text = text.disclosing(.query)
        let isInline = text.prefix(5).lowercased() == "data:"
        return Terminal.line(isInline && text.count > 48 ? text.prefix(47) + "…" : text)
    }
}

extension Int {
    /// A whole number of pixels.
    ///
    /// Infinite and NaN sizes, which come from absurd requests, become 0.
    fileprivate init(clamping number: CGFloat) {
        self = number.isFinite ? Int(Swift.max(-1e15, Swift.min(1e15, number))) : 0
    }
}

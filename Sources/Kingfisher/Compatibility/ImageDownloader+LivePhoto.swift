public import Foundation

/// The bytes of one resource of a live photo.
public struct LivePhotoResourceDownloadingResult: Sendable {
    /// The URL of the request that was sent.
    public let url: URL?

    /// The bytes, as returned by the downloader's delegate.
    public let originalData: Data

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - originalData: The bytes, as returned by the downloader's delegate.
    ///   - url: The URL of the request that was sent.
    public init(originalData: Data, url: URL? = nil) {
        self.originalData = originalData
        self.url = url
    }
}

extension ImageDownloader {
    /// Downloads the bytes of one resource of a live photo, in any format.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: The request modifier, redirect handler and priority are used; the processor is
    ///     not.
    /// - Returns: The bytes.
    /// - Throws: ``KingfisherError``; `taskCancelled` if the task was cancelled.
    public func downloadLivePhotoResource(
        with url: URL,
        options: KingfisherParsedOptionsInfo
    ) async throws -> LivePhotoResourceDownloadingResult {
        try await livePhotoResource(url, options, DownloadTask())
    }

    /// Downloads the bytes of one resource of a live photo and passes them to a closure.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: As for the overload without a closure.
    ///   - completionHandler: Called exactly once, on the options' callback queue.
    /// - Returns: The task to cancel the download with.
    @discardableResult
    public func downloadLivePhotoResource(
        with url: URL,
        options: KingfisherParsedOptionsInfo,
        completionHandler: (
            @Sendable (Result<LivePhotoResourceDownloadingResult, KingfisherError>) -> Void
        )? = nil
    ) -> DownloadTask {
        DownloadTask.running(callingBackOn: options.callbackQueue, completionHandler) { task in
            try await self.livePhotoResource(url, options, task)
        }
    }

    private func livePhotoResource(
        _ url: URL,
        _ options: KingfisherParsedOptionsInfo,
        _ task: DownloadTask
    ) async throws -> LivePhotoResourceDownloadingResult {
        var options = options
        // This processor keeps the download from planning a decode of the bytes.
        options.processor = LivePhotoImageProcessor.default
        let fetched = try await fetch(url, options: options, task: task, progress: nil)
        fetched.token?.leave()
        return LivePhotoResourceDownloadingResult(originalData: fetched.data, url: fetched.url)
    }
}

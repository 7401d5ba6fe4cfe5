public import Foundation

/// The bytes of one part of a live photo.
public struct LivePhotoResourceDownloadingResult: Sendable {
    /// Where they came from.
    public let url: URL?

    /// The bytes, after the delegate's hook.
    public let originalData: Data

    /// Makes a result.
    public init(originalData: Data, url: URL? = nil) {
        self.originalData = originalData
        self.url = url
    }
}

extension ImageDownloader {
    /// Downloads the bytes of one part of a live photo, whatever they are.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: Modifier, redirect handler and priority are used; the processor is not.
    /// - Returns: The bytes.
    /// - Throws: ``KingfisherError``; `taskCancelled` when the task was cancelled.
    public func downloadLivePhotoResource(
        with url: URL,
        options: KingfisherParsedOptionsInfo
    ) async throws -> LivePhotoResourceDownloadingResult {
        try await livePhotoResource(url, options, DownloadTask())
    }

    /// Downloads the bytes of one part of a live photo, and reports to a closure.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: As for the flavour without a closure.
    ///   - completionHandler: Called exactly once, on the options' callback queue.
    /// - Returns: The handle to cancel with.
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
        // The bytes are nobody's picture: no decode is planned for them.
        options.processor = LivePhotoImageProcessor.default
        let fetched = try await fetch(url, options: options, task: task, progress: nil)
        fetched.token?.leave()
        return LivePhotoResourceDownloadingResult(originalData: fetched.data, url: fetched.url)
    }
}

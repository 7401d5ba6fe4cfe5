import Foundation

extension ImageDownloader {
    /// Whether the object is of a subclass, so that its open methods must be called.
    var isOverridden: Bool { type(of: self) != ImageDownloader.self }

    /// Starts a download for the overloads with a closure.
    func start(
        _ url: URL,
        options: KingfisherParsedOptionsInfo,
        progress: (@Sendable (Int64, Int64) -> Void)?,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)?
    ) -> DownloadTask {
        DownloadTask.running(callingBackOn: options.callbackQueue, completionHandler) { task in
            try await self.load(url, options: options, task: task, progress: progress)
        }
    }

    /// Downloads and processes an image.
    func load(
        _ url: URL,
        options: KingfisherParsedOptionsInfo,
        task: DownloadTask,
        progress: (@Sendable (Int64, Int64) -> Void)?
    ) async throws -> ImageLoadingResult {
        let fetched = try await fetch(url, options: options, task: task, progress: progress)
        defer { fetched.token?.leave() }
        let image = try await fetched.image(options, on: processing)
        announce(image, of: fetched)
        return ImageLoadingResult(
            image: image,
            url: fetched.url,
            originalData: fetched.data,
            metrics: fetched.metrics
        )
    }

    /// Notifies the delegate of a processed image.
    func announce(_ image: KFCrossPlatformImage, of fetched: FetchedData) {
        guard let url = fetched.url else { return }
        guard let delegate else { return }
        delegate.imageDownloader(
            self,
            didDownload: image,
            for: url,
            with: fetched.response?.httpURLResponse
        )
    }

    /// Downloads with the open methods of a subclass.
    @inline(never)
    func overriddenDownload(
        _ url: URL,
        options: KingfisherParsedOptionsInfo,
        task: DownloadTask,
        progress: (@Sendable (Int64, Int64) -> Void)?
    ) async throws -> ImageLoadingResult {
        var options = options
        options.callbackQueue = .untouch
        return try await result(by: task) { completion in
            downloadImage(with: url, options: options, completionHandler: completion)
        }
    }
}

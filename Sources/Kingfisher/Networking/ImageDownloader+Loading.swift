public import Foundation

extension ImageDownloader {
    /// Whether the object is of a subclass, so that its open methods must be called.
    var isOverridden: Bool { type(of: self) != ImageDownloader.self }

    /// Starts a download for the overloads with a closure.
    func start(
        _ url: URL,
        options: KingfisherParsedOptionsInfo,
        progress: ProgressReporter?,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)?
    ) -> DownloadTask {
        DownloadTask.running(
            callingBackOn: options.callbackQueue,
            completionHandler,
            progress: progress
        ) { task in
            try await self.load(url, options: options, task: task, progress: progress?.report)
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
        let image = try await fetched.image(by: processing)
        notifyDelegate(of: image, from: fetched)
        return ImageLoadingResult(
            image: image,
            url: fetched.url,
            originalData: fetched.data,
            metrics: fetched.metrics
        )
    }

    /// Notifies the delegate of a processed image.
    func notifyDelegate(of image: KFCrossPlatformImage, from fetched: FetchedData) {
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

/// The overloads for `async` callers. Each calls the overload with a closure, so that overrides in
/// subclasses take effect.
extension ImageDownloader {
    /// Downloads and processes an image.
    ///
    /// Cancelling the calling task cancels this caller, as ``DownloadTask/cancel()`` does.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: As for the overload with a closure; the callback queue is not used.
    /// - Returns: The image, its bytes and the metrics of the download.
    /// - Throws: ``KingfisherError``; `taskCancelled` if the task was cancelled.
    public func downloadImage(
        with url: URL,
        options: KingfisherParsedOptionsInfo
    ) async throws -> ImageLoadingResult {
        var options = options
        options.callbackQueue = .untouch
        return try await result(by: DownloadTask()) { completion in
            downloadImage(with: url, options: options, completionHandler: completion)
        }
    }

    /// Downloads and processes an image, reporting its progress on the main queue.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: As for the overload with a closure; the callback queue is not used.
    ///   - progressBlock: Called on the main queue while a download of known length runs.
    /// - Returns: The image, its bytes and the metrics of the download.
    /// - Throws: ``KingfisherError``; `taskCancelled` if the task was cancelled.
    public func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil,
        progressBlock: DownloadProgressBlock? = nil
    ) async throws -> ImageLoadingResult {
        try await result(by: DownloadTask()) { completion in
            downloadImage(
                with: url,
                options: (options ?? []) + [.callbackQueue(.untouch)],
                progressBlock: progressBlock,
                completionHandler: completion
            )
        }
    }

    /// Downloads and processes an image, with a list of options.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: As for the overload with a closure; the callback queue is not used.
    /// - Returns: The image, its bytes and the metrics of the download.
    /// - Throws: ``KingfisherError``; `taskCancelled` if the task was cancelled.
    public func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageLoadingResult {
        try await downloadImage(with: url, options: KingfisherParsedOptionsInfo(options))
    }

    /// Waits for the result of an overload with a closure; cancelling `task` or the calling task
    /// cancels it.
    func result(
        by task: DownloadTask,
        of start: (
            @escaping @Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void
        ) -> DownloadTask
    ) async throws -> ImageLoadingResult {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A subclass may call its completion twice.
                let once = OnceCompletion<Result<ImageLoadingResult, KingfisherError>> {
                    continuation.resume(with: $0)
                }
                task.link(to: start { once($0) })
            }
        } onCancel: {
            task.cancel()
        }
    }
}

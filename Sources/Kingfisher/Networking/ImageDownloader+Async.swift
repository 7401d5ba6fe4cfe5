public import Foundation

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

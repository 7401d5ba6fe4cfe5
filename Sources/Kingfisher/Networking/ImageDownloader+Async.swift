public import Foundation

/// The flavours for `async` callers; each calls the one with a closure, so that a subclass that
/// overrides that one is asked here too.
extension ImageDownloader {
    /// Downloads and processes an image.
    ///
    /// Cancelling the surrounding task withdraws this caller, as ``DownloadTask/cancel()`` does.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - options: As for the flavour with a closure; the callback queue is not used.
    /// - Returns: The image, its bytes, and what the download cost.
    /// - Throws: ``KingfisherError``; `taskCancelled` when the task was cancelled.
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
    /// - Throws: ``KingfisherError``; `taskCancelled` when the task was cancelled.
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
    /// - Throws: ``KingfisherError``; `taskCancelled` when the task was cancelled.
    public func downloadImage(
        with url: URL,
        options: KingfisherOptionsInfo? = nil
    ) async throws -> ImageLoadingResult {
        try await downloadImage(with: url, options: KingfisherParsedOptionsInfo(options))
    }

    /// Waits for what a flavour with a closure gives; cancelling `task`, or the surrounding one,
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

public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Observes and controls the downloads of a downloader.
public protocol ImageDownloaderDelegate: AnyObject {
    /// Called before a download starts; not called when a caller joins a running download.
    ///
    /// - Parameters:
    ///   - downloader: The downloader.
    ///   - url: The URL of the request.
    ///   - request: The request, after the request modifier.
    func imageDownloader(
        _ downloader: ImageDownloader,
        willDownloadImageForURL url: URL,
        with request: URLRequest?
    )

    /// Called exactly once for each download, when it has ended.
    ///
    /// - Parameters:
    ///   - downloader: The downloader.
    ///   - url: The URL of the request.
    ///   - response: The response; nil on failure.
    ///   - error: The error; nil on success.
    func imageDownloader(
        _ downloader: ImageDownloader,
        didFinishDownloadingImageForURL url: URL,
        with response: URLResponse?,
        error: (any Error)?
    )

    /// Returns the bytes to use.
    ///
    /// - Parameters:
    ///   - downloader: The downloader.
    ///   - data: The downloaded bytes.
    ///   - task: The download.
    /// - Returns: The bytes, modified or not; nil fails the download.
    func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload data: Data,
        with task: SessionDataTask
    ) -> Data?

    /// Returns the bytes to use.
    ///
    /// - Parameters:
    ///   - downloader: The downloader.
    ///   - data: The downloaded bytes.
    ///   - url: The URL of the request.
    /// - Returns: The bytes, modified or not; nil fails the download.
    func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload data: Data,
        for url: URL
    ) -> Data?

    /// Called for each caller with its processed image, before the caller's completion handler.
    ///
    /// - Parameters:
    ///   - downloader: The downloader.
    ///   - image: The processed image.
    ///   - url: The URL of the request.
    ///   - response: The response.
    func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload image: KFCrossPlatformImage,
        for url: URL,
        with response: URLResponse?
    )

    /// Returns whether an HTTP status code is accepted.
    ///
    /// - Parameters:
    ///   - code: The status code.
    ///   - downloader: The downloader.
    /// - Returns: False fails the download with `invalidHTTPStatusCode`.
    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool

    /// Returns whether a response with an accepted status code is allowed.
    ///
    /// - Parameters:
    ///   - downloader: The downloader.
    ///   - response: The response.
    /// - Returns: `.cancel` fails the download with `cancelledByDelegate`.
    func imageDownloader(
        _ downloader: ImageDownloader,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition
}

extension ImageDownloaderDelegate {
    /// Does nothing.
    ///
    /// See `imageDownloader(_:willDownloadImageForURL:with:)`.
    public func imageDownloader(
        _ downloader: ImageDownloader,
        willDownloadImageForURL url: URL,
        with request: URLRequest?
    ) {}

    /// Does nothing.
    ///
    /// See
    /// `imageDownloader(_:didFinishDownloadingImageForURL:with:error:)`.
    public func imageDownloader(
        _ downloader: ImageDownloader,
        didFinishDownloadingImageForURL url: URL,
        with response: URLResponse?,
        error: (any Error)?
    ) {}

    /// Calls the overload with a URL; returns the bytes unchanged if the task has none.
    ///
    /// See `imageDownloader(_:didDownload:with:)`.
    public func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload data: Data,
        with task: SessionDataTask
    ) -> Data? {
        guard let url = task.originalURL else { return data }
        return imageDownloader(downloader, didDownload: data, for: url)
    }

    /// Returns the bytes unchanged.
    ///
    /// See `imageDownloader(_:didDownload:for:)`.
    public func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload data: Data,
        for url: URL
    ) -> Data? {
        data
    }

    /// Does nothing.
    ///
    /// See
    /// `imageDownloader(_:didDownload:for:with:)`.
    public func imageDownloader(
        _ downloader: ImageDownloader,
        didDownload image: KFCrossPlatformImage,
        for url: URL,
        with response: URLResponse?
    ) {}

    /// Accepts 200 to 399.
    ///
    /// See `isValidStatusCode(_:for:)`.
    public func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
        (200..<400).contains(code)
    }

    /// Allows every response.
    ///
    /// See `imageDownloader(_:didReceive:)`.
    public func imageDownloader(
        _ downloader: ImageDownloader,
        didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        .allow
    }
}

public import Foundation
public import Kingfisher

/// Thumbnails by URL, in a separate cache.
public final class ThumbnailStore: Sendable {
    /// Loads and caches the thumbnails.
    public let manager: KingfisherManager
    private let side: CGFloat

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - folder: The folder of its files.
    ///   - side: The longest side of a thumbnail in points.
    ///   - configuration: The network configuration; tests add stubs to its protocol classes.
    /// - Throws: An error if the folder cannot be created.
    public init(
        folder: URL,
        side: CGFloat = 100,
        configuration: URLSessionConfiguration = .ephemeral
    ) throws {
        let cache = try ImageCache(name: "thumbnails", cacheDirectoryURL: folder)
        cache.memoryStorage.config.totalCostLimit = 16 * 1024 * 1024
        cache.memoryStorage.config.expiration = .seconds(300)
        cache.diskStorage.config.sizeLimit = 64 * 1024 * 1024
        cache.diskStorage.config.expiration = .days(30)
        cache.diskStorage.config.pathExtension = "thumb"
        let downloader = ImageDownloader(name: "thumbnails")
        downloader.sessionConfiguration = configuration
        downloader.downloadTimeout = 10
        manager = KingfisherManager(downloader: downloader, cache: cache)
        manager.defaultOptions = [
            .processor(DownsamplingImageProcessor(size: CGSize(width: side, height: side))),
            .cacheSerializer(ThumbnailSerializer()),
            .requestModifier(
                AnyModifier { request in
                    var request = request
                    request.setValue("image/*", forHTTPHeaderField: "Accept")
                    return request
                }
            ),
            .retryStrategy(DelayRetryStrategy(maxRetryCount: 2, retryInterval: .seconds(0))),
            .waitForCache,
        ]
        self.side = side
    }

    /// Loads the thumbnail of a version of an image.
    ///
    /// - Throws: A `KingfisherError`.
    public func thumbnail(of url: URL, version: String) async throws -> KFCrossPlatformImage {
        let resource = KF.ImageResource(downloadURL: url, cacheKey: "\(url.path)#\(version)")
        return try await manager.retrieveImage(with: resource).image
    }

    /// Releases memory, for example when the program goes into the background.
    public func trim() {
        manager.cache.clearMemoryCache()
        manager.cache.cleanExpiredDiskCache()
    }
}

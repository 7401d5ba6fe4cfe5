package import Foundation
package import Kingfisher

/// A server, a downloader, and a manager with a cache in its own folder: nothing is shared.
package struct TestBench: Sendable {
    package let folder: TemporaryDirectory
    package let server: ImageServer
    package let cache: ImageCache
    package let downloader: ImageDownloader
    package let manager: KingfisherManager

    package init() throws {
        folder = try TemporaryDirectory()
        server = try ImageServer()
        cache = try ImageCache(name: "test", cacheDirectoryURL: folder.url)
        // Opens the folder, so that loads start on the caller's thread.
        _ = cache.isCached(forKey: "")
        downloader = ImageDownloader(name: "test")
        // Tests of timeouts set their own; a busy machine must not reach this one.
        downloader.downloadTimeout = 600
        downloader.resumption = DownloadResumption(folder: folder.file("downloads"))
        manager = KingfisherManager(downloader: downloader, cache: cache)
    }

    /// Serves a JPEG at a path.
    @discardableResult
    package func serveJPEG(_ path: String, width: Int = 64, height: Int = 48) -> URL {
        let data = TestImage.jpeg(width: width, height: height)
        server.route(path, .body(data, type: "image/jpeg"))
        return server.url(path)
    }
}

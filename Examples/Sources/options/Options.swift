// Options: lists for one call, defaults for all calls, and the properties of the result.
import Exhibition
import Foundation
import Kingfisher

@main
struct Options {
    static func main() async throws {
        let exhibition = try Exhibition()
        let manager = KingfisherManager(downloader: .default, cache: try temporaryCache())
        let url = exhibition.url("/photo.jpg")

        // The defaults apply to every call; the options of a call are appended to them.
        manager.defaultOptions = [.backgroundDecode, .diskCacheExpiration(.days(1))]

        let options: KingfisherOptionsInfo = [
            .processor(DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))),
            .scaleFactor(2),
            .cacheOriginalImage,
            .waitForCache,
        ]
        let first = try await manager.retrieveImage(with: url, options: options)
        check(first.cacheType == .none, "the first load comes from the network")
        check(first.image.size.width == 100, "it is 100 points wide, and 200 pixels")

        let second = try await manager.retrieveImage(with: url, options: options)
        check(second.cacheType == .memory, "the second load comes from memory")

        manager.cache.clearMemoryCache()
        let third = try await manager.retrieveImage(with: url, options: options)
        check(third.cacheType == .disk, "without the memory cache, it comes from disk")

        let whole = try await manager.retrieveImage(with: url, options: [.onlyFromCache])
        check(whole.image.size.width == 640, "the original was cached, too")
        check(exhibition.requests.count == 1, "all loads together needed one request")

        // The same with a completion handler, as in code without async.
        let error: KingfisherError? = await withCheckedContinuation { continuation in
            manager.retrieveImage(
                with: exhibition.url("/missing.jpg"),
                options: [.forceRefresh],
                progressBlock: { received, total in print("\(received) of \(total)") }
            ) { result in
                switch result {
                case .success: continuation.resume(returning: nil)
                case .failure(let error): continuation.resume(returning: error)
                }
            }
        }
        check(error?.isInvalidResponseStatusCode(404) == true, "a missing image is a 404")
    }
}

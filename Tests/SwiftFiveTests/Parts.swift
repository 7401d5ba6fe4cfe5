import Foundation
import Kingfisher

/// Structs that capture arbitrary closures.
struct TokenModifier: ImageDownloadRequestModifier {
    let token: () -> String

    func modified(for request: URLRequest) -> URLRequest? {
        var request = request
        request.setValue(token(), forHTTPHeaderField: "Authorization")
        return request
    }
}

struct CountingProcessor: ImageProcessor {
    final class Counter { var value = 0 }

    let identifier = "com.example.counting"
    let counter: Counter

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        counter.value += 1
        return DefaultImageProcessor.default.process(item: item, options: options)
    }
}

class PlainSerializer: CacheSerializer {
    var stored = 0

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        stored += 1
        return image.kf.pngRepresentation()
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

struct ClosureProvider: ImageDataProvider {
    let cacheKey: String
    let load: () throws -> Data

    func data(handler: @escaping (Result<Data, Error>) -> Void) {
        handler(Result { try load() })
    }
}

/// A downloader's delegate; held weakly.
class DownloadWatcher: ImageDownloaderDelegate {
    var started: [URL] = []
    var finished: [URL] = []

    func imageDownloader(
        _ downloader: ImageDownloader,
        willDownloadImageForURL url: URL,
        with request: URLRequest?
    ) {
        started.append(url)
    }

    func imageDownloader(
        _ downloader: ImageDownloader,
        didFinishDownloadingImageForURL url: URL,
        with response: URLResponse?,
        error: Error?
    ) {
        finished.append(url)
    }
}

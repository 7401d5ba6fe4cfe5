// Files on disk: the existing serializers, and a custom one.
import Exhibition
import Foundation
import Kingfisher

/// Keeps files small: JPEG of low quality, preceded by a mark.
struct ThriftySerializer: CacheSerializer {
    static let mark = Data("thrifty1".utf8)

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        image.kf.jpegRepresentation(compressionQuality: 0.3).map { Self.mark + $0 }
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        guard data.starts(with: Self.mark) else { return nil }
        return KFCrossPlatformImage(
            data: Data(data.dropFirst(Self.mark.count)),
            scale: options.scaleFactor
        )
    }
}

@main
struct CustomSerializer {
    static func main() async throws {
        let exhibition = try Exhibition()
        let manager = KingfisherManager(downloader: .default, cache: try temporaryCache())

        // An image with transparent corners needs a format that supports transparency.
        let processor = RoundCornerImageProcessor(cornerRadius: 40)
        let photo = exhibition.url("/photo.jpg")
        _ = try await manager.retrieveImage(
            with: photo,
            options: [
                .processor(processor),
                .cacheSerializer(FormatIndicatedCacheSerializer.png),
                .waitForCache,
            ]
        )
        let roundPath = manager.cache.cachePath(
            forKey: photo.cacheKey,
            processorIdentifier: processor.identifier
        )
        let round = try Data(contentsOf: URL(fileURLWithPath: roundPath))
        check(round.kf.imageFormat == .PNG, "an image with round corners is cached as PNG")

        let url = exhibition.url("/thrifty.jpg")
        let options: KingfisherOptionsInfo = [.cacheSerializer(ThriftySerializer()), .waitForCache]
        let first = try await manager.retrieveImage(with: url, options: options)
        let path = manager.cache.cachePath(forKey: url.cacheKey)
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        check(
            file.starts(with: ThriftySerializer.mark),
            "the file begins with the serializer's mark"
        )
        check(file.count < (first.data()?.count ?? 0), "and is smaller than the downloaded file")

        manager.cache.clearMemoryCache()
        let second = try await manager.retrieveImage(with: url, options: options)
        check(second.cacheType == .disk, "it is read back by the same serializer")
        check(second.image.size == first.image.size, "in the same size")
    }
}

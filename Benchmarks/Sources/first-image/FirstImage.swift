import Foundation
import Kingfisher

/// Shows how long a program takes from its start to its first image, for
/// `Benchmarks/Peers/start.py`.
///
/// usage: first-image [PHOTO]
///
/// With a photo, stores a thumbnail of it in the default disk cache. Without, loads that thumbnail
/// from there, as the first cell of a list does.
@main
struct FirstImage {
    static func main() async throws {
        let photo = CommandLine.arguments.dropFirst().first
        let source = LocalFileImageDataProvider(
            fileURL: URL(fileURLWithPath: photo ?? "/photo.jpg"),
            cacheKey: "photo"
        )
        let result = try await KingfisherManager.shared.retrieveImage(
            with: .provider(source),
            options: [
                .processor(DownsamplingImageProcessor(size: CGSize(width: 400, height: 400))),
                photo == nil ? .onlyFromCache : .waitForCache,
            ]
        )
        let size = result.image.size
        print("\(result.cacheType) \(size.width) x \(size.height)")
        fflush(nil)
    }
}

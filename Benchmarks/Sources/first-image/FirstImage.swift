import Foundation
import Kingfisher

/// Shows how long a program takes from its start to its first image, for
/// `Benchmarks/Peers/start.py`.
///
/// usage: first-image FOLDER [PHOTO]
///
/// With a photo, stores a thumbnail of it in the disk cache of the folder. Without, loads that
/// thumbnail from there, as the first cell of a list does.
@main
struct FirstImage {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 || arguments.count == 3 else { exit(64) }
        let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        let cache = try ImageCache(name: "start", cacheDirectoryURL: folder)
        let processor = DownsamplingImageProcessor(size: CGSize(width: 400, height: 400))
        let photo = URL(fileURLWithPath: arguments.count == 3 ? arguments[2] : "/photo.jpg")
        let source = LocalFileImageDataProvider(fileURL: photo, cacheKey: "photo")
        var options: KingfisherOptionsInfo = [.targetCache(cache), .processor(processor)]
        options.append(arguments.count == 3 ? .waitForCache : .onlyFromCache)
        let result = try await KingfisherManager.shared.retrieveImage(
            with: .provider(source),
            options: options
        )
        let size = result.image.size
        print("\(result.cacheType) \(size.width) x \(size.height)")
        fflush(nil)
    }
}

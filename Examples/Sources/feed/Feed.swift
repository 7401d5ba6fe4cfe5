import Foundation
import Kingfisher

/// A post of the feed.
struct Post: Hashable {
    let author: URL
    let picture: URL
}

/// One row: the author's avatar and the image.
@MainActor
final class FeedCell: KFCrossPlatformView {
    let avatar = KFCrossPlatformImageView(frame: CGRect(x: 0, y: 0, width: 40, height: 40))
    let picture = KFCrossPlatformImageView(frame: CGRect(x: 0, y: 48, width: 320, height: 180))
    private(set) var cacheTypes: [CacheType] = []
    private var missing = 0

    func show(_ post: Post, _ look: FeedLook, shown: @escaping @MainActor () -> Void) {
        missing = 2
        avatar.kf.setImage(
            with: post.author,
            placeholder: look.placeholder,
            options: look.avatarOptions
        ) { _ in self.finishOne(shown) }
        KF.url(post.picture)
            .setProcessor(look.pictureProcessor)
            .placeholder(look.placeholder)
            .fade(duration: 0.2)
            .cacheOriginalImage()
            .targetCache(look.cache)
            .onSuccess { result in
                self.cacheTypes.append(result.cacheType)
                self.finishOne(shown)
            }
            .onFailure { _ in self.finishOne(shown) }
            .set(to: picture)
    }

    private func finishOne(_ shown: @MainActor () -> Void) {
        missing -= 1
        if missing == 0 { shown() }
    }

    func prepareForReuse() {
        avatar.kf.cancelDownloadTask()
        picture.kf.cancelDownloadTask()
        picture.image = nil
    }
}

/// The processing of the feed's images, shared by cells and prefetcher, whose processors must be
/// equal.
struct FeedLook {
    let cache: ImageCache
    let placeholder = KFCrossPlatformImage()
    let pictureProcessor =
        DownsamplingImageProcessor(size: CGSize(width: 320, height: 180))
        |> RoundCornerImageProcessor(cornerRadius: 12)

    var avatarOptions: KingfisherOptionsInfo {
        [
            .targetCache(cache),
            .processor(
                CroppingImageProcessor(size: CGSize(width: 240, height: 240))
                    |> ResizingImageProcessor(referenceSize: CGSize(width: 40, height: 40))
                    |> RoundCornerImageProcessor(radius: .widthFraction(0.5))
            ),
            .cacheSerializer(FormatIndicatedCacheSerializer.png),
        ]
    }

    var pictureOptions: KingfisherOptionsInfo {
        [.targetCache(cache), .processor(pictureProcessor), .cacheOriginalImage]
    }
}

/// Loads images ahead of the visible ones, and stops when the direction changes.
@MainActor
final class FeedPrefetching {
    private var running: ImagePrefetcher?
    private let look: FeedLook

    init(look: FeedLook) {
        self.look = look
    }

    func prefetch(_ posts: [Post], completion: @escaping @MainActor @Sendable (Int) -> Void) {
        running?.stop()
        let prefetcher = ImagePrefetcher(
            urls: posts.map(\.picture),
            options: look.pictureOptions,
            completionHandler: { skipped, failed, completed in
                Task { @MainActor in completion(completed.count + skipped.count) }
            }
        )
        prefetcher.maxConcurrentDownloads = 4
        running = prefetcher
        prefetcher.start()
    }
}

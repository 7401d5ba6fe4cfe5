// A feed: images are processed for their cells and loaded before they become visible.
import Exhibition
import Foundation
import Kingfisher

@main
struct FeedExample {
    @MainActor
    static func main() async throws {
        let exhibition = try Exhibition()
        let look = FeedLook(cache: try temporaryCache())
        let posts = (1...8).map {
            Post(
                author: exhibition.url("/author-\($0).jpg"),
                picture: exhibition.url("/post-\($0).jpg")
            )
        }

        let prefetching = FeedPrefetching(look: look)
        let count = await withCheckedContinuation { continuation in
            prefetching.prefetch(posts) { continuation.resume(returning: $0) }
        }
        check(count == posts.count, "the page is prefetched before it is visible")

        let cell = FeedCell(frame: CGRect(x: 0, y: 0, width: 320, height: 228))
        for post in posts {
            cell.prepareForReuse()
            await withCheckedContinuation { continuation in
                cell.show(post, look) { continuation.resume() }
            }
        }
        check(cell.cacheTypes.count == posts.count, "every image is shown")
        check(cell.cacheTypes.allSatisfy { $0.cached }, "and comes from the cache")
        check(cell.picture.image?.size.width == 320, "at the width of its view")
        check(
            cell.avatar.image?.size == CGSize(width: 40, height: 40),
            "the author's is small and round"
        )
        let requests = exhibition.requests.filter { $0.hasPrefix("/post") }
        check(requests.count == posts.count, "each image was downloaded once")
    }
}

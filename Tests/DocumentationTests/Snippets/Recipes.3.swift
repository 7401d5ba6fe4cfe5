// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let folder = URL(fileURLWithPath: "/var/cache/my-service")
let cache = try ImageCache(name: "thumbnails", cacheDirectoryURL: folder)
cache.memoryStorage.config.totalCostLimit = 64 * 1024 * 1024
cache.diskStorage.config.sizeLimit = 2_000_000_000
cache.diskStorage.config.expiration = .days(30)
let manager = KingfisherManager(downloader: ImageDownloader(name: "service"), cache: cache)
print(manager.cache.diskStorage.directoryURL.path)
}

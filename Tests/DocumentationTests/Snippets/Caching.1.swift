// Made from Sources/Kingfisher/Kingfisher.docc/Caching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let cache = try ImageCache(
    name: "thumbnails",
    cacheDirectoryURL: URL(fileURLWithPath: "/var/cache/my-app")
)
cache.memoryStorage.config.totalCostLimit = 64 * 1024 * 1024
cache.memoryStorage.config.expiration = .seconds(600)
cache.diskStorage.config.sizeLimit = 1_000_000_000
cache.diskStorage.config.expiration = .days(7)
let manager = KingfisherManager(downloader: .default, cache: cache)
print(manager.cache.diskStorage.directoryURL.path)
}

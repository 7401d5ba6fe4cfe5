// Made from Sources/Kingfisher/Kingfisher.docc/ServerUse.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let downloader = ImageDownloader(name: "thumbnails")
var settings = downloader.transferSettings
settings.addressPolicy = .publicOnly
settings.maxBodyBytes = 20 << 20
downloader.transferSettings = settings
downloader.downloadTimeout = 10

let cache = try ImageCache(
    name: "thumbnails",
    cacheDirectoryURL: URL(fileURLWithPath: "/var/cache/thumbnails")
)
cache.memoryStorage.config.totalCostLimit = 256 << 20
cache.diskStorage.config.sizeLimit = 10_000_000_000
let manager = KingfisherManager(downloader: downloader, cache: cache)
print(manager.downloader.transferSettings.addressPolicy)
}

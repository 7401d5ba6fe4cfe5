// Made from Sources/Kingfisher/Kingfisher.docc/Caching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let cache = ImageCache.default
print(cache.diskStorage.statistics.shared, "stored without a file of their own")
cache.diskStorage.config.sharesFiles = false
ImageDownloader.default.sharesEqualImages = false
}

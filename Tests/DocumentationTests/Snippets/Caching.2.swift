// Made from Sources/Kingfisher/Kingfisher.docc/Caching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/photo.jpg?token=8f2a")!
let resource = KF.ImageResource(downloadURL: url, cacheKey: "photo-17")
_ = try await KingfisherManager.shared.retrieveImage(with: resource)
print(ImageCache.default.isCached(forKey: "photo-17"))
}

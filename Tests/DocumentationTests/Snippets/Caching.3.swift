// Made from Sources/Kingfisher/Kingfisher.docc/Caching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
KingfisherManager.shared.defaultOptions = [.cacheKeyRule(.signedURLs)]
let signed = URL(string: "https://example.com/photo.jpg?w=300&X-Amz-Signature=8f2a")!
_ = try await KingfisherManager.shared.retrieveImage(with: signed)
print(ImageCache.default.isCached(forKey: "https://example.com/photo.jpg?w=300"))
}

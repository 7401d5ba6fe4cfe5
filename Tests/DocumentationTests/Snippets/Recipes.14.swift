// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

func avatar(of url: URL) async throws -> Data {
    let size = DownsamplingImageProcessor(size: CGSize(width: 96, height: 96))
    let encoding = ImageEncoding.webp(quality: 0.8)
    return try await ImageCache.default.data(forKey: url.cacheKey, processorIdentifier: "avatar") {
        let image = try await KingfisherManager.shared.retrieveImage(
            with: url, options: [.processor(size), .cacheMemoryOnly]).image
        guard let file = encoding.data(of: image) else { throw CocoaError(.coderInvalidValue) }
        return file
    }.data
}

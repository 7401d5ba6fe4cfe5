// Made from Sources/Kingfisher/Kingfisher.docc/Caching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/photo.jpg")!
let thumbnail = DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
let result = try await KingfisherManager.shared.retrieveData(
    with: url,
    options: [.processor(thumbnail)],
    as: .webp(quality: 0.8)
)
print(result.contentType, result.data.count)
}

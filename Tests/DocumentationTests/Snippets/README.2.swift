// Made from README.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/photo.jpg")!
let result = try await KingfisherManager.shared.retrieveImage(with: url, options: [.waitForCache])
print(result.image.size.width, result.cacheType)
}

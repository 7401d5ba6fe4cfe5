// Made from Sources/Kingfisher/Kingfisher.docc/Processing.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/photo.jpg")!
let size = CGSize(width: 96, height: 96)
let badge =
    ResizingImageProcessor(referenceSize: size, mode: .aspectFill)
    |> CroppingImageProcessor(size: size)
    |> RoundCornerImageProcessor(radius: .widthFraction(0.5))
let result = try await KingfisherManager.shared.retrieveImage(
    with: url,
    options: [.processor(badge), .cacheSerializer(FormatIndicatedCacheSerializer.png)]
)
print(result.image.size)
}

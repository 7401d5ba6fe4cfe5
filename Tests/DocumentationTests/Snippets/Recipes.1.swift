// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/photo.jpg")!
let thumbnail = DownsamplingImageProcessor(size: CGSize(width: 150, height: 150))
let result = try await KingfisherManager.shared.retrieveImage(
    with: url,
    options: [
        .processor(thumbnail |> RoundCornerImageProcessor(cornerRadius: 20)),
        .cacheSerializer(FormatIndicatedCacheSerializer.png),
        .scaleFactor(2),
        .cacheOriginalImage,
    ]
)
try result.image.kf.pngRepresentation()?.write(to: URL(fileURLWithPath: "thumbnail.png"))
}

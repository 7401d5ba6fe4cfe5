// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let logo = KFCrossPlatformImage(data: try Data(contentsOf: URL(fileURLWithPath: "logo.png")))!
let mark = WatermarkImageProcessor(watermark: logo, anchor: CGPoint(x: 1, y: 1), margin: 8)
let url = URL(string: "https://example.com/photo.jpg")!
_ = try await KingfisherManager.shared.retrieveImage(with: url, options: [.processor(mark)])
}

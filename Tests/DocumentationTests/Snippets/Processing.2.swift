// Made from Sources/Kingfisher/Kingfisher.docc/Processing.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/cat.gif")!
let small = DownsamplingImageProcessor(size: CGSize(width: 200, height: 200))
let result = try await KingfisherManager.shared.retrieveImage(
    with: url,
    options: [.processor(AnimatedImageProcessor(small, format: .WebP))]
)
try result.image.kf.data(format: .WebP)?.write(to: URL(fileURLWithPath: "cat.webp"))
}

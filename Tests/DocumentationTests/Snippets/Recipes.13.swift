// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/cat.gif")!
let cat = try await KingfisherManager.shared.retrieveImage(with: url).image
for index in 0..<(cat.kf.frameSource?.frameCount ?? 0) {
    print(cat.kf.frameSource?.frame(at: index)?.size ?? .zero)  // Draw the frame here.
    try await Task.sleep(for: .seconds(cat.kf.frameSource?.duration(at: index) ?? 0.1))
}
}

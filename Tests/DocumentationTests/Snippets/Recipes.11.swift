// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let pixels = Data(repeating: 255, count: 20 * 10 * 4)
let image = KFCrossPlatformImage(premultipliedRGBA: pixels, width: 20, height: 10)
print(image?.size.width ?? 0)
}

// Made from Sources/Kingfisher/Kingfisher.docc/Pipeline.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/photo.jpg")!
let explanation = KingfisherManager.shared.explain(.network(url))
print(explanation)
}

// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/photo.jpg")!
let small = URL(string: "https://example.com/photo-small.jpg")!
ImageDownloader.default.isNetworkConstrained = { true }
let options: KingfisherOptionsInfo = [.lowDataMode(.network(small))]
_ = try await KingfisherManager.shared.retrieveImage(with: url, options: options)
}

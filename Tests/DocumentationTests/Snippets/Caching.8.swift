// Made from Sources/Kingfisher/Kingfisher.docc/Caching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let file = try await ImageCache.default.data(
    forKey: "https://example.com/photo.jpg",
    processorIdentifier: "card, version 3"
) {
    // Called on one machine; the others wait for its result.
    Data("the file".utf8)
}
print(file.data.count)
}

// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Kingfisher

private func snippet() async throws {
print(try await ImageCache.default.diskStorageSize, "bytes")
}

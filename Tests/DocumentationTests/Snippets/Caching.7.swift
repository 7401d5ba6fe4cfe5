// Made from Sources/Kingfisher/Kingfisher.docc/Caching.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher
import KingfisherTesting

private func snippet() async throws {
let storage = InMemorySharedStorage()
var settings = SharedStorageSettings()
settings.timeout = .milliseconds(50)
ImageCache.default.useSharedStorage(storage, settings: settings)

let url = URL(string: "https://example.com/photo.jpg")!
_ = try await KingfisherManager.shared.retrieveImage(with: url)
print(ImageCache.default.sharedStorageStatistics?.hits ?? 0)
}

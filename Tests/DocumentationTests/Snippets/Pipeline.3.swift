// Made from Sources/Kingfisher/Kingfisher.docc/Pipeline.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/photo.jpg")!
let task = Task { try await KingfisherManager.shared.retrieveImage(with: url) }
task.cancel()
do {
    _ = try await task.value
} catch let error as KingfisherError where error.isCancellation {
    print("cancelled")
}
}

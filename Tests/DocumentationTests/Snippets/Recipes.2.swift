// Made from Sources/Kingfisher/Kingfisher.docc/Recipes.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/photo.jpg")!
let task = KingfisherManager.shared.retrieveImage(
    with: url,
    progressBlock: { received, total in print("\(received) of \(total) bytes") }
) { result in
    switch result {
    case .success(let value): print("\(value.image.size) from \(value.cacheType)")
    case .failure(let error): print("error \(error.errorCode): \(error.localizedDescription)")
    }
    exit(0)
}
Task {
    try await Task.sleep(for: .seconds(10))
    task?.cancel()
}
dispatchMain()
}

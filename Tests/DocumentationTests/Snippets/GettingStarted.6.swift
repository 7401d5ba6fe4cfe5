// Made from Sources/Kingfisher/Kingfisher.docc/GettingStarted.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let url = URL(string: "https://example.com/missing.jpg")!
do {
    _ = try await KingfisherManager.shared.retrieveImage(with: url)
} catch let error as KingfisherError {
    print("error \(error.errorCode): \(error.localizedDescription)")
}
}

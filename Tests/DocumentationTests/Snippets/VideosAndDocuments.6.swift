// Made from Sources/Kingfisher/Kingfisher.docc/VideosAndDocuments.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let file = URL(fileURLWithPath: "/home/user/paper.pdf")
let provider = PDFPageDataProvider(url: file, page: 2, dpi: 150)
let result = try await KingfisherManager.shared.retrieveImage(with: .provider(provider))
print(result.image.size)
}

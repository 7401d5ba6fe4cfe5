// Made from Sources/Kingfisher/Kingfisher.docc/VideosAndDocuments.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let film = URL(fileURLWithPath: "/home/user/film.mp4")
let frame = VideoFrameDataProvider(url: film, at: 12.5, maximumSize: CGSize(width: 640, height: 640))
let result = try await KingfisherManager.shared.retrieveImage(with: .provider(frame))
print(result.image.size)
}

// Made from Sources/Kingfisher/Kingfisher.docc/VideosAndDocuments.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let film = URL(fileURLWithPath: "/home/user/film.mp4")
let clip = VideoFrameDataProvider(
    url: film,
    at: .clip(from: 3, to: 6, framesPerSecond: 12),
    maximumSize: CGSize(width: 480, height: 480)
)
let result = try await KingfisherManager.shared.retrieveImage(with: .provider(clip))
print(result.image.kf.imageFrameCount ?? 1)
}

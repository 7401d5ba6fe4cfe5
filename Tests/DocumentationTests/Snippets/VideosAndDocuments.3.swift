// Made from Sources/Kingfisher/Kingfisher.docc/VideosAndDocuments.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let film = URL(fileURLWithPath: "/home/user/film.mp4")
let size = CGSize(width: 320, height: 320)
for frame in VideoFrameDataProvider.frames(of: film, at: [10, 20, 30], maximumSize: size) {
    let result = try await KingfisherManager.shared.retrieveImage(with: .provider(frame))
    print(result.image.size)
}
}

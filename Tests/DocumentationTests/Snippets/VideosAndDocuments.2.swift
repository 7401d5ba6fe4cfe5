// Made from Sources/Kingfisher/Kingfisher.docc/VideosAndDocuments.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

private func snippet() async throws {
let info = try await VideoInfo(contentsOf: URL(fileURLWithPath: "/home/user/film.mp4"))
print(info.size, info.duration ?? 0, info.codec, info.soundCodec ?? "silent")
}

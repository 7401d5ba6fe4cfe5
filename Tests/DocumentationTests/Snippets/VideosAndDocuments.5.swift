// Made from Sources/Kingfisher/Kingfisher.docc/VideosAndDocuments.md by DocumentationTests; do not edit.
// swift-format-ignore-file

#if GTK
import Foundation
import Kingfisher
import KingfisherGTK

@MainActor
func showFilm(_ film: URL, in view: ImageView) async throws {
    view.kf.setImage(with: VideoFrameDataProvider(url: film))
    view.kf.badge = .video()
    view.kf.badge = .video(duration: try await VideoInfo(contentsOf: film).duration)
}
#endif

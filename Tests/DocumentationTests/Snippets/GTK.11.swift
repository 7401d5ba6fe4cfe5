// Made from Sources/Kingfisher/Kingfisher.docc/GTK.md by DocumentationTests; do not edit.
// swift-format-ignore-file

#if GTK
import Foundation
import Kingfisher
import KingfisherGTK

@MainActor
func describe(_ film: URL, duration: TimeInterval?) -> ListImage {
    ListImage(
        source: .provider(VideoFrameDataProvider(url: film)),
        label: film.lastPathComponent,
        badge: .video(duration: duration)
    )
}
#endif

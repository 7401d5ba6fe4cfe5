// Made from Sources/Kingfisher/Kingfisher.docc/GTK.md by DocumentationTests; do not edit.
// swift-format-ignore-file

#if GTK
import Foundation
import Kingfisher
import KingfisherGTK

@MainActor
func makeImage(_ url: URL) -> KFImage {
    KFImage(url)
        .fade(duration: 0.25)
        .retry(maxCount: 2)
        .onFailure { print($0.localizedDescription) }
}
#endif

// Made from Sources/Kingfisher/Kingfisher.docc/Kingfisher.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

@MainActor
final class Card: KingfisherHasImageComponent {
    var image: KFCrossPlatformImage?

    func show(_ url: URL) {
        kf.setImage(with: url, options: [.keepCurrentImageWhileLoading])
    }
}

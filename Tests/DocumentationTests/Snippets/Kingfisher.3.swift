// Made from Sources/Kingfisher/Kingfisher.docc/Kingfisher.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

@MainActor
func show(_ url: URL, in view: KFCrossPlatformImageView) {
    KF.url(url)
        .downsampling(size: CGSize(width: 200, height: 200))
        .roundCorner(radius: .point(12))
        .retry(maxCount: 2)
        .onFailure { print($0.localizedDescription) }
        .set(to: view)
}

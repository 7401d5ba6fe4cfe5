// Made from Sources/Kingfisher/Kingfisher.docc/OnLinux.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

struct Badge {
    let color: KFCrossPlatformColor

    func make(from image: KFCrossPlatformImage) -> KFCrossPlatformImage {
        image.kf.tinted(with: color)
    }
}

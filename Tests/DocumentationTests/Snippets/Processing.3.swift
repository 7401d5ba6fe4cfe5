// Made from Sources/Kingfisher/Kingfisher.docc/Processing.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

struct MirrorProcessor: ImageProcessor {
    let identifier = "com.example.mirror"

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image):
            return image.kf.flipped(.horizontal)
        case .data:
            return (DefaultImageProcessor.default |> self).process(item: item, options: options)
        }
    }
}

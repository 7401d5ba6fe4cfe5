// Made from README.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

struct SquareProcessor: ImageProcessor {
    let side: Int
    var identifier: String { "com.example.square(\(side))" }

    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let size = CGSize(width: side, height: side)
        let filling = ResizingImageProcessor(referenceSize: size, mode: .aspectFill)
        let image = filling.process(item: item, options: options)
        return image?.kf.resize(to: size)
    }
}

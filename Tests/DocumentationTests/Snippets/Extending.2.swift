// Made from Sources/Kingfisher/Kingfisher.docc/Extending.md by DocumentationTests; do not edit.
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
        let cropping = CroppingImageProcessor(size: size)
        return (filling |> cropping).process(item: item, options: options)
    }
}

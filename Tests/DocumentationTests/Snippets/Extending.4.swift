// Made from Sources/Kingfisher/Kingfisher.docc/Extending.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

final class Cover: KingfisherImageSettable {
    private var current: KFCrossPlatformImage?

    func setImage(_ image: KFCrossPlatformImage?, options: KingfisherParsedOptionsInfo) {
        current = image
    }

    func getImage() -> KFCrossPlatformImage? { current }
}

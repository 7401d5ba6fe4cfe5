// Made from Sources/Kingfisher/Kingfisher.docc/Extending.md by DocumentationTests; do not edit.
// swift-format-ignore-file

import Foundation
import Kingfisher

struct SmallSerializer: CacheSerializer {
    var usesDefaultDecoding: Bool { true }

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        image.kf.jpegRepresentation(compressionQuality: 0.5)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

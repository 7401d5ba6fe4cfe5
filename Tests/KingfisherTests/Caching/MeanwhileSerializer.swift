import Foundation

@testable import Kingfisher

/// Lets something happen between reading an image and taking it.
struct MeanwhileSerializer: CacheSerializer {
    var isDamaged = false
    let happens: @Sendable () -> Void

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        DefaultCacheSerializer.default.data(with: image, original: original)
    }

    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        happens()
        return isDamaged ? nil : DefaultCacheSerializer.default.image(with: data, options: options)
    }
}

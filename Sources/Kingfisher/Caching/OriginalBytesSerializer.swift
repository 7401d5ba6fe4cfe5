import Foundation

/// Stores downloaded bytes unmodified if the image was not processed.
///
/// Encoding again would cost time and, for lossy formats, quality and size.
struct OriginalBytesSerializer: CacheSerializer {
    private let base: DefaultCacheSerializer

    /// Nil unless the options use the default serializer with default settings.
    init?(_ options: KingfisherParsedOptionsInfo) {
        guard let base = options.cacheSerializer as? DefaultCacheSerializer,
            base.compressionQuality == 1, !options.onlyLoadFirstFrame
        else { return nil }
        self.base = base
    }

    func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        original ?? base.data(with: image, original: nil)
    }

    func image(
        with data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        base.image(with: data, options: options)
    }
}

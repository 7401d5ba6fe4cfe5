public import Foundation

/// Stores an image in the format that it came in.
public struct DefaultCacheSerializer: CacheSerializer {
    /// The shared serializer.
    public static let `default` = DefaultCacheSerializer()

    /// 0 (smallest) to 1 (best), for lossy formats.
    public var compressionQuality: CGFloat = 1.0

    /// Whether the original bytes are stored as they are when they are known.
    public var preferCacheOriginalData: Bool = false

    /// The same as ``preferCacheOriginalData``.
    public var originalDataUsed: Bool { preferCacheOriginalData }

    /// Makes a serializer.
    public init() {}

    /// Encodes in the format of the image's animation, else in the original's; PNG when that is
    /// unknown.
    ///
    /// With ``preferCacheOriginalData`` the original bytes, or those of an animation, as they are.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        let animated = image.kf.gifRepresentation()
        if preferCacheOriginalData, let bytes = original ?? animated { return bytes }
        // Frames that were processed are of another file than the original.
        let format = (animated ?? original)?.kf.imageFormat ?? .unknown
        return image.kf.data(format: format, compressionQuality: compressionQuality)
    }

    /// Decodes with the options' scale and animation settings.
    public func image(
        with data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        KingfisherWrapper<KFCrossPlatformImage>
            .image(data: data, options: options.imageCreatingOptions)
    }
}

public import Foundation

/// Stores an image in its original format.
public struct DefaultCacheSerializer: CacheSerializer {
    /// The shared serializer.
    public static let `default` = DefaultCacheSerializer()

    /// 0 (smallest) to 1 (best); used by lossy formats.
    public var compressionQuality: CGFloat = 1.0

    /// Whether the original bytes are stored unmodified if they are known.
    public var preferCacheOriginalData: Bool = false

    /// The same as ``preferCacheOriginalData``.
    public var originalDataUsed: Bool { preferCacheOriginalData }

    /// Makes a serializer.
    public init() {}

    /// Encodes an image in the format of its animation or of the original; PNG if neither is known.
    ///
    /// With ``preferCacheOriginalData`` it returns the original bytes, or those of the animation,
    /// unmodified.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that the image was made from, if known.
    /// - Returns: The bytes; nil if the image cannot be encoded.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        let animated = image.kf.gifRepresentation()
        if preferCacheOriginalData, let bytes = original ?? animated { return bytes }
        // The file of processed frames differs from the original.
        let format = (animated ?? original)?.kf.imageFormat ?? .unknown
        return image.kf.data(format: format, compressionQuality: compressionQuality)
    }

    /// Decodes with the scale and the animation settings of the options.
    ///
    /// See ``CacheSerializer/image(with:options:)``.
    public func image(
        with data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        KingfisherWrapper<KFCrossPlatformImage>
            .image(data: data, options: options.imageCreatingOptions)
    }
}

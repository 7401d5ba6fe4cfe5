public import Foundation

/// Converts images to the bytes stored on disk, and back.
public protocol CacheSerializer: Sendable {
    /// Returns the bytes to store for an image; nil if it cannot be stored.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that the image was made from, if known.
    /// - Returns: The bytes, or nil.
    func data(with image: KFCrossPlatformImage, original: Data?) -> Data?

    /// Returns the image of stored bytes.
    ///
    /// - Parameters:
    ///   - data: The stored bytes.
    ///   - options: The options of the load.
    /// - Returns: The image; nil if the bytes cannot be decoded.
    func image(with data: Data, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage?

    /// Whether original bytes are stored on disk, so that the processor must run again after a
    /// read.
    var originalDataUsed: Bool { get }

    /// Whether ``image(with:options:)`` returns the image that ``DefaultCacheSerializer`` returns.
    ///
    /// Loads then decode the bytes themselves: directly to the size that the processor needs, within
    /// the memory budget, and together with loads that have other serializers of this kind.
    var usesDefaultDecoding: Bool { get }
}

extension CacheSerializer {
    /// False by default.
    public var originalDataUsed: Bool { false }

    /// False by default; set it in a serializer whose ``image(with:options:)`` only forwards.
    public var usesDefaultDecoding: Bool { false }
}

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

    /// True.
    public var usesDefaultDecoding: Bool { true }

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

    /// Decodes with the scale and the animation settings of the options, in a worker process if
    /// they contain ``KingfisherOptionsInfoItem/isolated``.
    ///
    /// See ``CacheSerializer/image(with:options:)``.
    public func image(
        with data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: .data(data), options: options)
    }
}

/// Stores every image in a given format.
public struct FormatIndicatedCacheSerializer: CacheSerializer {
    /// PNG.
    public static let png = FormatIndicatedCacheSerializer(
        imageFormat: .PNG,
        compressionQuality: nil
    )

    /// JPEG at the best quality.
    public static let jpeg = FormatIndicatedCacheSerializer(
        imageFormat: .JPEG,
        compressionQuality: 1.0
    )

    /// GIF; still images are stored in the original's format.
    public static let gif = FormatIndicatedCacheSerializer(
        imageFormat: .GIF,
        compressionQuality: nil
    )

    /// JPEG with a quality from 0 (smallest) to 1 (best).
    public static func jpeg(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(
            imageFormat: .JPEG,
            compressionQuality: compressionQuality
        )
    }

    /// WebP with a quality from 0 (smallest) to 1 (best), animated or not.
    public static func webp(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(
            imageFormat: .WebP,
            compressionQuality: compressionQuality
        )
    }

    /// AVIF with a quality from 0 (smallest) to 1 (best).
    public static func avif(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(
            imageFormat: .AVIF,
            compressionQuality: compressionQuality
        )
    }

    let imageFormat: ImageFormat
    let compressionQuality: CGFloat?

    /// True.
    public var usesDefaultDecoding: Bool { true }

    /// Encodes an image in the given format, or if that fails in the format of the original.
    ///
    /// If both fail it returns the original bytes, or PNG if there are none.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - original: The bytes that the image was made from, if known.
    /// - Returns: The bytes; nil if the image cannot be encoded.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if let data = encode(image, as: imageFormat) { return data }
        guard let original else { return image.pngData() }
        let format = original.kf.imageFormat
        return (format == imageFormat ? nil : encode(image, as: format)) ?? original
    }

    /// Decodes with the scale and the animation settings of the options, in a worker process if
    /// they contain ``KingfisherOptionsInfoItem/isolated``.
    ///
    /// See ``CacheSerializer/image(with:options:)``.
    public func image(
        with data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        DefaultImageProcessor.default.process(item: .data(data), options: options)
    }

    private func encode(_ image: KFCrossPlatformImage, as format: ImageFormat) -> Data? {
        image.kf.data(format: format, compressionQuality: compressionQuality ?? 1.0)
    }
}

/// Stores downloaded bytes unmodified if the image was not processed.
///
/// Encoding again would cost time and, for lossy formats, quality and size.
struct OriginalBytesSerializer: CacheSerializer {
    private let base: DefaultCacheSerializer

    var usesDefaultDecoding: Bool { true }

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

public import Foundation

/// Stores every image in one format.
public struct FormatIndicatedCacheSerializer: CacheSerializer {
    /// PNG.
    public static let png = FormatIndicatedCacheSerializer(
        imageFormat: .PNG,
        compressionQuality: nil
    )

    /// JPEG of the best quality.
    public static let jpeg = FormatIndicatedCacheSerializer(
        imageFormat: .JPEG,
        compressionQuality: 1.0
    )

    /// GIF; a still falls back to the original's format.
    public static let gif = FormatIndicatedCacheSerializer(
        imageFormat: .GIF,
        compressionQuality: nil
    )

    /// JPEG of a quality, 0 (smallest) to 1 (best).
    public static func jpeg(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(
            imageFormat: .JPEG,
            compressionQuality: compressionQuality
        )
    }

    /// WebP of a quality, 0 (smallest) to 1 (best), animated or not.
    public static func webp(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(
            imageFormat: .WebP,
            compressionQuality: compressionQuality
        )
    }

    /// AVIF of a quality, 0 (smallest) to 1 (best).
    public static func avif(compressionQuality: CGFloat) -> FormatIndicatedCacheSerializer {
        FormatIndicatedCacheSerializer(
            imageFormat: .AVIF,
            compressionQuality: compressionQuality
        )
    }

    let imageFormat: ImageFormat
    let compressionQuality: CGFloat?

    /// Encodes in the format; failing that in the original's; failing that the original bytes, or
    /// PNG when there are none.
    public func data(with image: KFCrossPlatformImage, original: Data?) -> Data? {
        if let data = encode(image, as: imageFormat) { return data }
        guard let original else { return image.pngData() }
        let format = original.kf.imageFormat
        return (format == imageFormat ? nil : encode(image, as: format)) ?? original
    }

    /// Decodes with the options' scale and animation settings.
    public func image(
        with data: Data,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        KingfisherWrapper<KFCrossPlatformImage>
            .image(data: data, options: options.imageCreatingOptions)
    }

    private func encode(_ image: KFCrossPlatformImage, as format: ImageFormat) -> Data? {
        image.kf.data(format: format, compressionQuality: compressionQuality ?? 1.0)
    }
}

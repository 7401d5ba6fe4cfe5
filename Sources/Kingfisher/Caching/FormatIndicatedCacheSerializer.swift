public import Foundation

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

    private func encode(_ image: KFCrossPlatformImage, as format: ImageFormat) -> Data? {
        image.kf.data(format: format, compressionQuality: compressionQuality ?? 1.0)
    }
}

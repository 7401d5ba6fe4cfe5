import Dispatch
public import Foundation
import KFCodecs
import KFPixels

/// Makes a thumbnail of an image file, in the file's own format.
public struct ThumbnailImageDataProvider: ImageDataProvider {
    /// The reason why there is no thumbnail.
    public enum ThumbnailImageDataProviderError: Error, LocalizedError {
        /// The URL is not a readable file.
        case invalidImageSource
        /// The bytes cannot be decoded, or the thumbnail's size is out of range.
        case invalidThumbnail
        /// The format cannot be encoded; never thrown by this library.
        case writeDataError
        /// Encoding failed.
        case finalizeDataError

        /// The failure, as a sentence.
        public var errorDescription: String? {
            switch self {
            case .invalidImageSource:
                "The URL is not that of a readable file. Use a file URL, and check that the "
                    + "file exists."
            case .invalidThumbnail:
                "The file cannot be decoded, or the size of the thumbnail is not between 1 and "
                    + "\(PixelLimits.maxDimension) pixels."
            case .writeDataError: "There is no encoder for the thumbnail's format."
            case .finalizeDataError: "The thumbnail cannot be encoded."
            }
        }
    }

    /// The file URL of the image.
    public let url: URL

    /// The longest side of the thumbnail in pixels.
    public var maxPixelSize: CGFloat

    /// Whether an embedded thumbnail is ignored; embedded thumbnails are never used on Linux.
    public var alwaysCreateThumbnail: Bool

    /// The key under which the image is cached.
    public var cacheKey: String

    /// Whether the file is decoded in a worker process.
    var isIsolated = false

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - maxPixelSize: The longest side of the thumbnail in pixels.
    ///   - alwaysCreateThumbnail: Whether an embedded thumbnail is ignored.
    ///   - cacheKey: Defaults to `<url>_thumb_<maxPixelSize>_<alwaysCreateThumbnail>`, followed by the
    ///     size of the file and the time of its last change.
    public init(
        url: URL,
        maxPixelSize: CGFloat,
        alwaysCreateThumbnail: Bool = true,
        cacheKey: String? = nil
    ) {
        self.url = url
        self.maxPixelSize = maxPixelSize
        self.alwaysCreateThumbnail = alwaysCreateThumbnail
        self.cacheKey =
            cacheKey
            ?? url.cacheKey(
                ofPart: "thumb_\(NumberText.number(maxPixelSize))_\(alwaysCreateThumbnail)"
            )
    }

    /// Makes the thumbnail on a global queue; fails with ``ThumbnailImageDataProviderError``.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async {
            handler(Result { try makeThumbnail() })
        }
    }

    private func makeThumbnail() throws(ThumbnailImageDataProviderError) -> Data {
        guard url.isFileURL, let data = try? LocalFileImageDataProvider.bytes(of: url) else {
            // The cases of this error name the failed step, not its cause.
            throw .invalidImageSource
        }
        let side = CGFloat(1)...CGFloat(PixelLimits.maxDimension)
        guard side.contains(maxPixelSize) else { throw .invalidThumbnail }
        guard let small = bitmap(of: data), let format = Codecs.format(of: data) else {
            throw .invalidThumbnail
        }
        // Formats without an encoder are encoded as PNG, which is lossless.
        guard
            let bytes = (try? Codecs.encode(small, as: format))
                ?? (try? Codecs.encode(small, as: .png))
        else { throw .finalizeDataError }
        return bytes
    }

    private func bitmap(of data: Data) -> Bitmap? {
        guard isIsolated else {
            let box = PixelSize(width: Int(maxPixelSize), height: Int(maxPixelSize))
            // The error of this type has no place for the cause.
            return try? Codecs.decode(data, options: DecodeOptions(target: .fit(box))).bitmap
        }
        let size = CGSize(width: Int(maxPixelSize), height: Int(maxPixelSize))
        return IsolatedDecoding.imageForBlockingCaller(
            of: data,
            by: DownsamplingImageProcessor(size: size),
            KingfisherParsedOptionsInfo([.isolated])
        )?.bitmap
    }
}

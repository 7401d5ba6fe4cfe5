import Codecs
import Dispatch
public import Foundation
import Pixels

/// A small version of a picture in a file, in the file's own format.
public struct ThumbnailImageDataProvider: ImageDataProvider {
    /// Why there is no thumbnail.
    public enum ThumbnailImageDataProviderError: Error, LocalizedError {
        /// The URL cannot be read.
        case invalidImageSource
        /// The bytes are no picture.
        case invalidThumbnail
        /// There is no encoder for the thumbnail.
        case writeDataError
        /// The encoder could not finish.
        case finalizeDataError

        /// What is wrong.
        public var errorDescription: String? {
            switch self {
            case .invalidImageSource: "The URL leads to no file that can be read."
            case .invalidThumbnail:
                "The file holds no picture that can be decoded, or the size of the thumbnail is "
                    + "not between 1 and \(PixelLimits.maxDimension) pixels."
            case .writeDataError: "No encoder is there for the thumbnail."
            case .finalizeDataError: "The thumbnail cannot be encoded."
            }
        }
    }

    /// The picture: a file URL.
    public let url: URL

    /// The longest side of the thumbnail in pixels.
    public var maxPixelSize: CGFloat

    /// Whether a thumbnail inside the file is passed over; those are never used here.
    public var alwaysCreateThumbnail: Bool

    /// The key under which the image is cached.
    public var cacheKey: String

    /// Makes a provider.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - maxPixelSize: The longest side of the thumbnail in pixels.
    ///   - alwaysCreateThumbnail: Whether a thumbnail inside the file is passed over.
    ///   - cacheKey: `<url>_thumb_<maxPixelSize>_<alwaysCreateThumbnail>` unless given.
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
            ?? "\(url.absoluteString)_thumb_\(NumberText.number(maxPixelSize))_\(alwaysCreateThumbnail)"
    }

    /// Makes the thumbnail on a global queue; fails with ``ThumbnailImageDataProviderError``.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async {
            handler(Result { try makeThumbnail() })
        }
    }

    private func makeThumbnail() throws(ThumbnailImageDataProviderError) -> Data {
        guard url.isFileURL, let data = try? LocalFileImageDataProvider.bytes(of: url) else {
            // The provider's errors name the step, not the reason.
            throw .invalidImageSource
        }
        let side = CGFloat(1)...CGFloat(PixelLimits.maxDimension)
        guard side.contains(maxPixelSize) else { throw .invalidThumbnail }
        let box = PixelSize(width: Int(maxPixelSize), height: Int(maxPixelSize))
        guard let small = try? Codecs.decode(data, options: DecodeOptions(target: .fit(box)))
        else { throw .invalidThumbnail }
        // Formats that are only read come out as PNG, which loses nothing.
        guard
            let bytes = (try? Codecs.encode(small.bitmap, as: small.info.format))
                ?? (try? Codecs.encode(small.bitmap, as: .png))
        else { throw .finalizeDataError }
        return bytes
    }
}

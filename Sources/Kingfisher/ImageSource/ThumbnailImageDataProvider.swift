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

    /// Makes the thumbnail on the threads for decoding, within their memory budget.
    ///
    /// - Throws: ``ThumbnailImageDataProviderError``, `CancellationError`.
    public func data() async throws -> Data { try await content(for: nil).file() }

    /// As ``data()``; the handler is called with its result.
    public func data(handler: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        callBack(handler)
    }
}

extension ThumbnailImageDataProvider: PreparedDataProvider {
    /// A file, so that a cache keeps the thumbnail in the file's own format; decoded in a worker
    /// process if the load is isolated.
    func content(for context: ProviderContext?) async throws -> ProvidedContent {
        let maker = context?.downloader.processing ?? .direct
        do {
            return .file(try await file(by: maker, context?.options))
        } catch let failure as ThumbnailImageDataProviderError {
            try Task.checkCancellation()
            throw failure
        }
    }

    private func file(
        by maker: ImageMaker,
        _ load: KingfisherParsedOptionsInfo?
    ) async throws -> Data {
        let url = url
        // The cases of this error name the failed step, not its cause.
        typealias Failure = ThumbnailImageDataProviderError
        guard url.isFileURL,
            let file = try? await maker.pool.reading({
                try LocalFileImageDataProvider.bytes(of: url)
            })
        else { throw Failure.invalidImageSource }
        let side = CGFloat(1)...CGFloat(PixelLimits.maxDimension)
        guard side.contains(maxPixelSize), let format = Codecs.format(of: file) else {
            throw Failure.invalidThumbnail
        }
        var options = KingfisherParsedOptionsInfo(nil)
        let length = Int(maxPixelSize)
        options.processor = DownsamplingImageProcessor(size: CGSize(width: length, height: length))
        options.isolated = load?.isolated == true
        options.downloadPriority = load?.priority ?? options.downloadPriority
        let image = try? await maker.image(of: .data(file), options: options)
        guard let small = image?.bitmap else { throw Failure.invalidThumbnail }
        return try await maker.run(bytes: small.size.byteCount, priority: options.priority) {
            // Formats without an encoder are encoded as PNG, which is lossless.
            guard
                let bytes = (try? Codecs.encode(small, as: format))
                    ?? (try? Codecs.encode(small, as: .png))
            else { throw Failure.finalizeDataError }
            return bytes
        }
    }
}

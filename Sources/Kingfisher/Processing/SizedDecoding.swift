import Codecs
import Foundation
import Pixels

/// A processor that decodes bytes directly to the size it needs.
protocol SizedDecoding: ImageProcessor {
    /// The size in pixels to which an image of `own` pixels is decoded; nil for its own size.
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize?

    /// Processes an image that was decoded to that size.
    func finish(
        _ image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage?
}

extension SizedDecoding {
    /// By default processes it like any other image.
    func finish(
        _ image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        process(item: .image(image), options: options)
    }
}

extension SizedDecoding {
    /// Draws on an image at the options' scale; bytes are decoded to ``decodedSize(of:scale:)``.
    func sized(
        _ item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo,
        draw: (KFCrossPlatformImage) -> KFCrossPlatformImage
    ) -> KFCrossPlatformImage? {
        if options.isolated, case .data(let data) = item {
            return IsolatedDecoding.imageForBlockingCaller(of: data, by: self, options)
        }
        guard case .data(let data) = item,
            // Bytes without a readable header fail in the default processor too.
            let own = (try? Codecs.inspect(data))?.displaySize,
            let size = decodedSize(of: own, scale: options.scaleFactor)
        else { return drawing(on: item, options: options, draw: draw) }
        return SizedDecoder(scale: options.scaleFactor).image(data, in: size).map(draw)
    }
}

extension PixelSize {
    /// The size in pixels of an image of this size after resizing it to a size in points.
    ///
    /// Nil if a side is out of range or not a number.
    func resized(to size: CGSize, for mode: ContentMode, scale: CGFloat) -> PixelSize? {
        guard scale > 0, scale.isFinite else { return nil }
        let own = CGSize(width: CGFloat(width) / scale, height: CGFloat(height) / scale)
        return PixelSize(points: own.kf.resize(to: size, for: mode), scale: scale)
    }
}

/// Decodes bytes directly to a given size.
struct SizedDecoder {
    /// Pixels per point of the result.
    let scale: CGFloat
    /// See ``ResizingImageProcessor/prefersSpeed``.
    var prefersSpeed = false

    /// Returns the image in exactly a size; nil on failure.
    func image(_ data: Data, in size: PixelSize) -> KFCrossPlatformImage? {
        // Processors return nil on failure; `UndecodableReason` finds the reason when it is needed.
        let options = DecodeOptions(target: .exact(size), isReducedLater: prefersSpeed)
        guard PixelScope.allows(size), let decoded = try? Codecs.decode(data, options: options)
        else { return nil }
        return KFCrossPlatformImage(bitmap: decoded.bitmap, scale: scale)
    }

    /// Returns the image fitted to a size by content mode; nil on failure.
    func image(
        _ data: Data,
        resizedTo size: CGSize,
        for mode: ContentMode
    ) -> KFCrossPlatformImage? {
        // See above.
        guard let own = (try? Codecs.inspect(data))?.displaySize,
            let pixels = own.resized(to: size, for: mode, scale: scale)
        else { return nil }
        return image(data, in: pixels)
    }
}

/// Carries the bytes of a file through a load without decoding them.
struct OriginalBytesProcessor: ImageProcessor {
    static let identifier = "com.onevcat.Kingfisher.OriginalBytesProcessor"

    var identifier: String { Self.identifier }

    /// An image without pixels that carries the bytes; nil if they are not of a known format.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard case .data(let data) = item, data.kf.imageFormat != .unknown else { return nil }
        var state = AttachedState()
        state.animatedData = data
        return KFCrossPlatformImage(bitmap: nil, attached: state)
    }
}

extension OriginalBytesProcessor: SizedDecoding {
    /// A single pixel: nothing is decoded, so a load needs no memory for pixels.
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        PixelSize(width: 1, height: 1)
    }
}

import Codecs
import Foundation
import Pixels

/// A processor that has bytes decoded straight to the size that it needs.
protocol SizedDecoding: ImageProcessor {
    /// The size in pixels that a picture of `own` pixels is decoded to; nil for its own.
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize?

    /// What it makes of a picture that was decoded to that size.
    func finish(
        _ image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage?
}

extension SizedDecoding {
    /// Processes it like any other image.
    func finish(
        _ image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        process(item: .image(image), options: options)
    }
}

extension SizedDecoding {
    /// Draws on an image of the options' scale; bytes are decoded to ``decodedSize(of:scale:)``.
    func sized(
        _ item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo,
        draw: (KFCrossPlatformImage) -> KFCrossPlatformImage
    ) -> KFCrossPlatformImage? {
        if options.isolated, case .data(let data) = item {
            return IsolatedDecoding.imageForBlockingCaller(of: data, by: self, options)
        }
        guard case .data(let data) = item,
            // Bytes without a readable header fail in the default processor as well.
            let own = (try? Codecs.inspect(data))?.displaySize,
            let size = decodedSize(of: own, scale: options.scaleFactor)
        else { return drawing(on: item, options: options, draw: draw) }
        return SizedDecoder(scale: options.scaleFactor).image(data, in: size).map(draw)
    }
}

extension PixelSize {
    /// The pixels of a picture of this size that is resized to a size in points by content mode.
    ///
    /// Nil when there would be none or too many, or a size is no number.
    func resized(to size: CGSize, for mode: ContentMode, scale: CGFloat) -> PixelSize? {
        guard scale > 0, scale.isFinite else { return nil }
        let own = CGSize(width: CGFloat(width) / scale, height: CGFloat(height) / scale)
        return PixelSize(points: own.kf.resize(to: size, for: mode), scale: scale)
    }
}

/// Decodes bytes straight to the size that a processor asks for.
struct SizedDecoder {
    /// Pixels per point of the result.
    let scale: CGFloat

    /// The picture in exactly a size; nil when it cannot be made.
    func image(_ data: Data, in size: PixelSize) -> KFCrossPlatformImage? {
        // Processors answer with nil; `UndecodableReason` tells why when somebody asks.
        let options = DecodeOptions(target: .exact(size))
        guard PixelScope.allows(size), let decoded = try? Codecs.decode(data, options: options)
        else { return nil }
        return KFCrossPlatformImage(bitmap: decoded.bitmap, scale: scale)
    }

    /// The picture in the size that content mode gives it; nil when it cannot be made.
    func image(
        _ data: Data,
        resizedTo size: CGSize,
        for mode: ContentMode
    ) -> KFCrossPlatformImage? {
        // As above.
        guard let own = (try? Codecs.inspect(data))?.displaySize,
            let pixels = own.resized(to: size, for: mode, scale: scale)
        else { return nil }
        return image(data, in: pixels)
    }
}

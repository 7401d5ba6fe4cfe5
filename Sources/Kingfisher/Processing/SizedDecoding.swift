import Foundation
import KFCodecs
import KFPixels

extension BuiltInProcessor {
    /// Draws on an image at the options' scale; bytes are decoded to ``Traits/decodedSize``.
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
            let size = traits.decodedSize(own, options.scaleFactor)
        else { return drawing(on: item, options: options, draw: draw) }
        return SizedDecoder(scale: options.scaleFactor).image(data, in: size).map(draw)
    }
}

extension PixelSize {
    /// The size in pixels of an image of this size after resizing it to a size in points.
    ///
    /// Nil if a side is out of range or not a number, or if the image is cropped before it is
    /// resized.
    func resized(to size: CGSize, for mode: ContentMode, scale: CGFloat) -> PixelSize? {
        guard let (part, size) = resizing(to: size, for: mode, scale: scale),
            part.size == self
        else { return nil }
        return size
    }

    /// The part of an image of this size that is resized to a size in points, and its size then.
    ///
    /// An image that covers the size is cropped around its middle if a side of the result would
    /// exceed the usual limit otherwise, as that of 1 × 10,000 pixels to cover 100 × 100. Nil if a
    /// side is out of range or not a number.
    func resizing(
        to size: CGSize,
        for mode: ContentMode,
        scale: CGFloat
    ) -> (part: PixelRect, size: PixelSize)? {
        guard scale > 0, scale.isFinite else { return nil }
        let own = CGSize(width: CGFloat(width) / scale, height: CGFloat(height) / scale)
        let whole = own.kf.resize(to: size, for: mode)
        let most = ResultLimits.default.maxSide
        guard mode == .aspectFill, let box = PixelSize(points: size, scale: scale),
            box.longestSide <= most, max(whole.width, whole.height) * scale > CGFloat(most)
        else {
            return PixelSize(points: whole, scale: scale).map { (PixelRect(size: self), $0) }
        }
        // The longest strip of the image whose enlargement is within the limit.
        let isTall = height > width
        let factor =
            isTall ? Double(box.width) / Double(width) : Double(box.height) / Double(height)
        // Empty sides give no factor, and the sides below would be no numbers.
        guard factor.isFinite, factor > 0 else { return nil }
        let longest = Double(isTall ? height : width)
        let length = max(1, Int(min(longest, Double(most) / factor)))
        let side = max(isTall ? box.height : box.width, Int(Double(length) * factor))
        return isTall
            ? (
                PixelRect(x: 0, y: (height - length) / 2, width: width, height: length),
                PixelSize(width: box.width, height: side)
            )
            : (
                PixelRect(x: (width - length) / 2, y: 0, width: length, height: height),
                PixelSize(width: side, height: box.height)
            )
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
            let (part, pixels) = own.resizing(to: size, for: mode, scale: scale)
        else { return nil }
        guard part.size == own else {
            return image(data, in: own)?.resized(to: size, for: mode)
        }
        return image(data, in: pixels)
    }
}

/// Carries the bytes of a file through a load without decoding them.
struct OriginalBytesProcessor: ImageProcessor {
    static let identifier = "com.onevcat.Kingfisher.OriginalBytesProcessor"

    var identifier: String { Self.identifier }

    /// An image without pixels that carries the bytes; nil if they are neither of a known format
    /// nor a PDF document or a video.
    func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        guard case .data(let data) = item,
            data.kf.imageFormat != .unknown || PDFFile.isBeginning(of: data)
                || VideoFile.isBeginning(of: data)
        else { return nil }
        var state = AttachedState()
        state.file = AnimationFile(data: data, isUntrusted: options.isolated)
        return KFCrossPlatformImage(bitmap: nil, attached: state)
    }
}

import Codecs
package import Foundation
import Pixels

/// Decodes to the size at which a view shows the picture, and never to a larger one.
///
/// Unlike ``DownsamplingImageProcessor`` it knows whether the picture is to fit inside the view or
/// to cover it, so that neither too many nor too few pixels are decoded. Animations are left as
/// they are: their frames are decoded to the view's size one by one.
package struct ViewSizeProcessor: ImageProcessor {
    /// The view's size in points.
    package let size: CGSize
    /// Whether the picture covers the view rather than fits inside.
    package let covers: Bool

    package let identifier: String

    /// - Parameters:
    ///   - size: In points.
    ///   - density: Pixels per point of the screen, as the options of the load say it too.
    ///   - covers: Whether the picture covers the view rather than fits inside.
    package init(size: CGSize, density: CGFloat = 1, covers: Bool) {
        self.size = size
        self.covers = covers
        let box = NumberText.size(size)
        // Another screen's picture has other pixels, so it has to be another one in the cache.
        let suffix = density == 1 ? "" : "@\(NumberText.number(density))x"
        identifier = "Kingfisher.ViewSize(\(box)\(suffix),\(covers ? "cover" : "fit"))"
    }

    package func process(
        item: ImageProcessItem,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        switch item {
        case .image(let image): scaledDown(image, scale: options.scaleFactor)
        case .data(let data) where options.isolated:
            IsolatedDecoding.imageForBlockingCaller(of: data, by: self, options)
        case .data(let data): decoded(data, options)
        }
    }

    private func decoded(
        _ data: Data,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        // The contract is nil for what cannot be decoded; `UndecodableReason` tells why.
        guard let info = try? Codecs.inspect(data) else { return nil }
        if info.isAnimated {
            return KingfisherWrapper<KFCrossPlatformImage>
                .image(data: data, options: options.imageCreatingOptions)
        }
        let own = info.displaySize
        let wanted = target(for: own, scale: options.scaleFactor)
        let target: DecodeOptions.Target = wanted == own ? .full : .exact(wanted)
        guard let image = try? Codecs.decode(data, options: DecodeOptions(target: target)) else {
            return nil
        }
        return KFCrossPlatformImage(bitmap: image.bitmap, scale: options.scaleFactor)
    }

    private func scaledDown(_ image: KFCrossPlatformImage, scale: CGFloat) -> KFCrossPlatformImage?
    {
        guard let bitmap = image.bitmap, (image.kf.imageFrameCount ?? 1) <= 1 else { return image }
        let wanted = target(for: bitmap.size, scale: scale)
        guard wanted != bitmap.size else { return image.kf.scaled(to: scale) }
        // The contract is nil for a size that cannot be made.
        guard let resized = try? resample(bitmap, to: wanted) else { return nil }
        return KFCrossPlatformImage(bitmap: resized, scale: scale)
    }

    /// The size in pixels for a picture of a size: of its ratio, and not larger.
    private func target(for own: PixelSize, scale: CGFloat) -> PixelSize {
        let horizontal = Double(size.width * scale) / Double(max(1, own.width))
        let vertical = Double(size.height * scale) / Double(max(1, own.height))
        let factor = covers ? max(horizontal, vertical) : min(horizontal, vertical)
        guard factor < 1 else { return own }
        return PixelSize(
            width: max(1, Int((Double(own.width) * factor).rounded())),
            height: max(1, Int((Double(own.height) * factor).rounded()))
        )
    }
}

extension ViewSizeProcessor: SizedDecoding {
    func decodedSize(of own: PixelSize, scale: CGFloat) -> PixelSize? {
        target(for: own, scale: scale)
    }

    /// The picture as it is: measuring it again might be off by the rounding of a pixel.
    func finish(
        _ image: KFCrossPlatformImage,
        options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        image
    }
}

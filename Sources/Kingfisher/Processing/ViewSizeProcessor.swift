import Foundation
import KFCodecs
import KFPixels

/// Decodes to the size at which a view shows the image, and never to a larger one.
///
/// Unlike ``DownsamplingImageProcessor`` it distinguishes between fitting inside the view and
/// covering it, so that neither too many nor too few pixels are decoded. Animations are not
/// changed; their frames are decoded to the view's size individually.
package struct ViewSizeProcessor: ImageProcessor {
    /// The view's size in points.
    package let size: CGSize
    /// Whether the image covers the view rather than fits inside it.
    package let covers: Bool

    package let identifier: String

    /// - Parameters:
    ///   - size: The view's size in points.
    ///   - density: The screen's pixels per point; must equal the scale factor of the load's
    ///     options.
    ///   - covers: Whether the image covers the view rather than fits inside it.
    package init(size: CGSize, density: CGFloat = 1, covers: Bool) {
        self.size = size
        self.covers = covers
        let box = NumberText.size(size)
        // Screens of different densities need different pixels, so they use different cache
        // entries.
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
        // Nil is the documented result for undecodable bytes; `UndecodableReason` finds the reason.
        guard let info = try? Codecs.inspect(data) else { return nil }
        if info.isAnimated {
            if let animation = animation(data, options) { return animation }
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

    /// An animation whose first frame has the view's size, as a still image has; its frames are
    /// scaled when they are played.
    ///
    /// Nil if all frames are needed now, or only the first.
    private func animation(
        _ data: Data,
        _ options: KingfisherParsedOptionsInfo
    ) -> KFCrossPlatformImage? {
        let creating = options.imageCreatingOptions
        guard !creating.preloadAll, !creating.onlyFirstFrame,
            let source = try? EncodedFrameSource(data, scale: creating.scale),
            source.frameCount > 1
        else { return nil }
        let wanted = target(for: source.size, scale: options.scaleFactor)
        let box = CGSize(width: wanted.width, height: wanted.height)
        let first = source.frame(at: 0, maxSize: box)
        // Until it is played.
        source.releaseBuffers(keepsCanvas: false)
        return first.flatMap {
            KingfisherWrapper<KFCrossPlatformImage>
                .animatedImage(source: source, options: creating, baseImage: $0)
        }
    }

    private func scaledDown(_ image: KFCrossPlatformImage, scale: CGFloat) -> KFCrossPlatformImage?
    {
        guard let bitmap = image.bitmap, (image.kf.imageFrameCount ?? 1) <= 1 else { return image }
        let wanted = target(for: bitmap.size, scale: scale)
        guard wanted != bitmap.size else { return image.kf.scaled(to: scale) }
        // Nil is the documented result for an invalid size.
        guard let resized = try? resample(bitmap, to: wanted) else { return nil }
        return KFCrossPlatformImage(bitmap: resized, scale: scale)
    }

    /// The size in pixels for an image of size `own`: the same aspect ratio, and never larger.
    func target(for own: PixelSize, scale: CGFloat) -> PixelSize {
        let horizontal = Double(size.width * scale) / Double(max(1, own.width))
        let vertical = Double(size.height * scale) / Double(max(1, own.height))
        let factor = covers ? max(horizontal, vertical) : min(horizontal, vertical)
        guard factor > 0, factor < 1 else { return own }
        return PixelSize(
            width: max(1, Int((Double(own.width) * factor).rounded())),
            height: max(1, Int((Double(own.height) * factor).rounded()))
        )
    }
}

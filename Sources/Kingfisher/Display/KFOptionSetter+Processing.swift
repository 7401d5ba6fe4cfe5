public import Foundation

// MARK: Processors

extension KFOptionSetter {
    /// Replaces the processor.
    public func setProcessor(_ processor: any ImageProcessor) -> Self {
        setting(\.processor, to: processor)
    }

    /// Replaces the processor with a chain; an empty list sets the default processor.
    public func setProcessors(_ processors: [any ImageProcessor]) -> Self {
        let chain = processors.dropFirst().reduce(processors.first) { chain, next in
            chain?.append(another: next)
        }
        return setProcessor(chain ?? DefaultImageProcessor.default)
    }

    /// Appends a processor to the current one.
    public func appendProcessor(_ processor: any ImageProcessor) -> Self {
        setProcessor(options.processor |> processor)
    }

    /// Appends a processor that rounds the corners.
    ///
    /// - Parameters:
    ///   - radius: The radius of each corner.
    ///   - targetSize: The size of the result in points; nil keeps the size of the image.
    ///   - corners: The corners to round.
    ///   - backgroundColor: Fills the area outside the corners; nil leaves it transparent.
    /// - Returns: The receiver, or its changed copy.
    public func roundCorner(
        radius: Radius,
        targetSize: CGSize? = nil,
        roundingCorners corners: RectCorner = .all,
        backgroundColor: KFCrossPlatformColor? = nil
    ) -> Self {
        appendProcessor(
            RoundCornerImageProcessor(
                radius: radius,
                targetSize: targetSize,
                roundingCorners: corners,
                backgroundColor: backgroundColor
            )
        )
    }

    /// Appends a processor that blurs the image; `radius` is the standard deviation in points.
    public func blur(radius: CGFloat) -> Self {
        appendProcessor(BlurImageProcessor(blurRadius: radius))
    }

    /// Appends a processor that draws a colour over the image.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - fraction: How much of the image remains visible, from 0 (only the colour) to 1.
    /// - Returns: The receiver, or its changed copy.
    public func overlay(color: KFCrossPlatformColor, fraction: CGFloat = 0.5) -> Self {
        appendProcessor(OverlayImageProcessor(overlay: color, fraction: fraction))
    }

    /// Appends a processor that tints the image.
    public func tint(color: KFCrossPlatformColor) -> Self {
        appendProcessor(TintImageProcessor(tint: color))
    }

    /// Appends a processor that converts the image to greyscale.
    public func blackWhite() -> Self {
        appendProcessor(BlackWhiteProcessor())
    }

    /// Appends a processor that crops the image.
    ///
    /// - Parameters:
    ///   - size: The size of the result in points.
    ///   - anchor: The position of the crop in the image, 0 to 1 in each direction.
    /// - Returns: The receiver, or its changed copy.
    public func cropping(size: CGSize, anchor: CGPoint = .init(x: 0.5, y: 0.5)) -> Self {
        appendProcessor(CroppingImageProcessor(size: size, anchor: anchor))
    }

    /// Decodes to a size directly.
    ///
    /// Replaces the default processor; is appended to any other one.
    ///
    /// - Parameter size: The size of the result in points.
    /// - Returns: The receiver, or its changed copy.
    public func downsampling(size: CGSize) -> Self {
        let processor = DownsamplingImageProcessor(size: size)
        guard options.processor.identifier == DefaultImageProcessor.default.identifier else {
            return appendProcessor(processor)
        }
        return setProcessor(processor)
    }

    /// Appends a processor that resizes the image.
    ///
    /// - Parameters:
    ///   - referenceSize: The size in points.
    ///   - mode: How the image is fitted to the size.
    /// - Returns: The receiver, or its changed copy.
    public func resizing(referenceSize: CGSize, mode: ContentMode = .none) -> Self {
        appendProcessor(ResizingImageProcessor(referenceSize: referenceSize, mode: mode))
    }
}

// MARK: Serializers, modifiers, scans

extension KFOptionSetter {
    /// Sets the serializer that converts images to the bytes stored on disk, and back.
    public func serialize(by cacheSerializer: any CacheSerializer) -> Self {
        setting(\.cacheSerializer, to: cacheSerializer)
    }

    /// Stores the image in the given format; `.unknown` means PNG.
    ///
    /// - Parameters:
    ///   - format: Any format that this build can encode, or `.GIF`.
    ///   - jpegCompressionQuality: 0 (smallest) to 1 (best); nil is 1.
    /// - Returns: The receiver, or its changed copy.
    public func serialize(as format: ImageFormat, jpegCompressionQuality: CGFloat? = nil) -> Self {
        serialize(
            by: FormatIndicatedCacheSerializer(
                imageFormat: format == .unknown ? .PNG : format,
                compressionQuality: format == .JPEG ? jpegCompressionQuality ?? 1 : nil
            )
        )
    }

    /// Sets the modifier that changes the image just before it is delivered; nil for none.
    public func imageModifier(_ modifier: (any ImageModifier)?) -> Self {
        setting(\.imageModifier, to: modifier)
    }

    /// Sets a closure that changes the image just before it is delivered.
    public func imageModifier(
        _ block: @escaping @Sendable (inout KFCrossPlatformImage) throws -> Void
    ) -> Self {
        imageModifier(
            AnyImageModifier { image in
                var image = image
                try block(&image)
                return image
            }
        )
    }

    /// Displays a progressive JPEG scan by scan; nil waits for the complete image.
    public func progressiveJPEG(_ progressive: ImageProgressive? = .init()) -> Self {
        setting(\.progressiveJPEG, to: progressive)
    }
}
